import { type AstNode, fold, nodeOf, nodesOf, textOf, textsOf } from '../ast.ts';
import { meantBy, type Select } from '../selects/bound.ts';
import {
  callOf,
  castType,
  conjuncts,
  foundIn,
  isColumn,
  literalOf,
  sidesOf,
  writtenAs,
} from '../selects/expressions.ts';
import { classOf } from '../selects/facts.ts';
import { partsOf } from '../selects/selects.ts';
import { type Broken, broken, type OfSelect, type Rule } from './rule.ts';

const NULL_TEST: Rule = {
  id: 'null-comparison',
  severity: 'error',
  message: 'A comparison with NULL is never true. Write IS NULL or IS NOT NULL.',
  bad: 'select id from orders where shipped_at = null',
  good: 'select id from orders where shipped_at is null',
};
const CROSS_TYPE: Rule = {
  id: 'cross-type',
  severity: 'warning',
  message:
    'Two kinds of values are compared, so that one is cast silently: rows may be missed, or the run may fail. Cast one side yourself.',
  bad: "select id from orders where total = '10'",
  good: 'select id from orders where total = 10',
};
const PARTITION: Rule = {
  id: 'cast-on-partition',
  severity: 'warning',
  message:
    'The column by which files are left out is changed before it is compared, so that all files are read. Compare the column itself.',
  bad: "select id from orders where strftime(ordered_at, '%Y') = '2026'",
  good: "select id from orders where ordered_at >= timestamp '2026-01-01' and ordered_at < timestamp '2027-01-01'",
};
const DIVISION: Rule = {
  id: 'unguarded-division',
  severity: 'warning',
  message: 'The divisor may be 0. Write nullif(divisor, 0), or leave such rows out.',
  bad: 'select id, total / quantity as price from orders',
  good: 'select id, total / nullif(quantity, 0) as price from orders',
};
const MONEY: Rule = {
  id: 'money-in-double',
  severity: 'warning',
  message: 'Money loses cents in a binary fraction. Use DECIMAL.',
  bad: 'select id, total::double as total from orders',
  good: 'select id, total::decimal(18, 2) as total from orders',
};
const WILDCARD: Rule = {
  id: 'leading-wildcard',
  severity: 'note',
  message: 'A pattern that begins with a wildcard is looked for in every row, and no file can be left out.',
  bad: "select id from customers where name like '%son'",
  good: "select id from customers where name like 'son%'",
};

const comparisons: OfSelect = (select) =>
  foundIn(partsOf(select.node), (node) => sidesOf(node) !== undefined || isList(node)).flatMap((node): Broken[] => {
    const [left, ...others] = sidesOf(node) ?? nodesOf(node, 'children');
    if (left === undefined) return [];
    const all = [left, ...others];
    if (!isList(node) && all.some((side) => literalOf(side)?.value === null)) return [broken(NULL_TEST, node)];
    const types = others.some((other) => isCrossing(left, other, select)) ? [broken(CROSS_TYPE, node)] : [];
    const constant = all.some((side) => literalOf(side) !== undefined);
    return [...types, ...(constant ? all.flatMap((side) => changedPartition(side, select)) : [])];
  });

const isList = ({ type }: AstNode): boolean => type === 'COMPARE_IN' || type === 'COMPARE_NOT_IN';

/** A literal of a time may be written as text. */
function isCrossing(one: AstNode, other: AstNode, select: Select): boolean {
  const [a, b] = [typeOf(one, select), typeOf(other, select)];
  if (a === undefined || b === undefined || a.of === b.of || (a.literal && b.literal)) return false;
  const [literal, column] = a.literal ? [a, b] : [b, a];
  return !(literal.literal && literal.of === 'text' && (column.of === 'time' || column.of === 'boolean'));
}

function typeOf(node: AstNode, select: Select) {
  const literal = literalOf(node);
  if (literal?.value === null) return undefined;
  const type =
    literal?.type ??
    (node.class === 'CAST' ? castType(node) : isColumn(node) ? meantBy(node, select)?.column.type : undefined);
  const of = classOf(type);
  return of && { of, literal: literal !== undefined };
}

function changedPartition(side: AstNode, select: Select): Broken[] {
  if (side.class !== 'CAST' && side.class !== 'FUNCTION') return [];
  const refs = foundIn(side, isColumn).filter((ref) => {
    const meant = meantBy(ref, select);
    return meant?.bound.facts?.partitions?.some((name) => fold(name) === fold(meant.column.name));
  });
  return refs.slice(0, 1).map((ref) => broken(PARTITION, side, textsOf(ref, 'column_names').join('.')));
}

const divisions: OfSelect = ({ node }) =>
  foundIn(partsOf(node), (inner, path) => {
    if (!['/', '//', '%', 'divide', 'fdiv', 'mod'].includes(callOf(inner) ?? '')) return false;
    const divisor = nodesOf(inner, 'children')[1];
    return divisor !== undefined && !isNeverZero(divisor) && !isGuarded(divisor, path, node);
  }).map((inner) => broken(DIVISION, inner));

const NEVER_ZERO = new Set(['nullif', 'count_star', 'exp', 'pi', 'greatest']);

function isNeverZero(divisor: AstNode): boolean {
  const value = literalOf(divisor)?.value;
  if (value !== undefined) return typeof value === 'number' ? value !== 0 : value !== '0';
  if (divisor.class === 'CAST') return isNeverZero(nodeOf(divisor, 'child') ?? {});
  const call = callOf(divisor);
  if (call === undefined) return false;
  if (NEVER_ZERO.has(call)) return true;
  const children = nodesOf(divisor, 'children');
  if (call === 'abs') return children.every(isNeverZero);
  return (
    ['*', '+', '/', 'power', 'pow', '**', '^'].includes(call) &&
    children.length > 0 &&
    children.every((one) => literalOf(one) !== undefined)
  );
}

/** A test of the divisor, or of what it is made of, around the division or of the rows. */
function isGuarded(divisor: AstNode, path: readonly AstNode[], select: AstNode): boolean {
  const texts = foundIn(divisor, (inner) => isColumn(inner) || inner === divisor).map(writtenAs);
  const tests = [
    ...path
      .filter((one) => one.class === 'CASE')
      .flatMap((one) => nodesOf(one, 'case_checks').map((check) => check.when_expr)),
    ...path.filter((one) => callOf(one) === 'if').map((one) => nodesOf(one, 'children')[0]),
    ...conjuncts(nodeOf(select, 'where_clause')),
    ...conjuncts(nodeOf(select, 'having')),
  ];
  return tests.some((test) => foundIn(test, (inner) => texts.includes(writtenAs(inner))).length > 0);
}

const MONEY_NAME = /(?:^|_)(?:amount|price|cost|total|revenue|balance|fee|salary|tax|turnover|payment)(?:$|_)/i;

const money: OfSelect = ({ node }) =>
  foundIn(partsOf(node), (inner) => inner.class === 'CAST' && /^(?:DOUBLE|FLOAT|REAL)$/.test(castType(inner))).flatMap(
    (cast) => {
      const child = nodeOf(cast, 'child') ?? {};
      const names = [textOf(cast, 'alias') ?? '', ...(isColumn(child) ? textsOf(child, 'column_names').slice(-1) : [])];
      const name = names.find((one) => MONEY_NAME.test(one));
      return name === undefined ? [] : [broken(MONEY, cast, name)];
    },
  );

const wildcards: OfSelect = ({ node }) =>
  foundIn(partsOf(node), (inner) => {
    const pattern = literalOf(nodesOf(inner, 'children')[1])?.value;
    return ['~~', '~~*'].includes(callOf(inner) ?? '') && typeof pattern === 'string' && /^[%_]/.test(pattern);
  }).map((inner) => broken(WILDCARD, inner));

export const VALUE_RULES = [NULL_TEST, CROSS_TYPE, PARTITION, DIVISION, MONEY, WILDCARD];
export const valueRules: readonly OfSelect[] = [comparisons, divisions, money, wildcards];
