import { type AstNode, fold, nodeOf, nodesOf, offsetOf, textOf, textsOf } from '../ast.ts';
import { type Bound, boundOf, type Join, type Select } from '../selects/bound.ts';
import { groupsOf } from '../selects/derive.ts';
import { callOf, conjuncts, foundIn, isColumn, literalOf, sidesOf, writtenAs } from '../selects/expressions.ts';
import { type Broken, broken, type OfSelect, type Rule } from './rule.ts';

const CROSS: Rule = {
  id: 'cross-join',
  severity: 'warning',
  message:
    'Each row of the one side meets each row of the other: no condition joins them. Write a condition, or CROSS JOIN if all pairs are meant.',
  bad: 'select o.id, c.name from orders o, customers c',
  good: 'select o.id, c.name from orders o join customers c on c.id = o.customer_id',
};
const FAN_OUT: Rule = {
  id: 'fan-out',
  severity: 'error',
  message:
    'Rows are repeated by this join before they are summed, since the joined relation has several rows for a key. Sum before the join.',
  bad: 'select o.customer_id, sum(o.total) as total from orders o join items i on i.order_id = o.id group by o.customer_id',
  good: 'select o.customer_id, sum(o.total) as total from orders o group by o.customer_id',
};
const UNDONE: Rule = {
  id: 'left-join-undone',
  severity: 'warning',
  message:
    'WHERE drops the rows that the outer join keeps, since this column is NULL in them. Move the condition to ON, or write an inner join.',
  bad: "select c.name, o.id from customers c left join orders o on o.customer_id = c.id where o.status = 'open'",
  good: "select c.name, o.id from customers c left join orders o on o.customer_id = c.id and o.status = 'open'",
};

/** Relations that nothing joins with the rest, also by way of others. A join that is written as CROSS JOIN is meant. */
const crossJoins: OfSelect = (select) => {
  const silent = select.joins.filter(({ node, right }) => isSilent(node) && !right.some(bringsOwnRows));
  if (silent.length === 0) return [];
  const linked = linkedBy(select);
  return silent.flatMap(({ node, left, right }) => {
    if ([left, right].some((side) => side.every(isSingle))) return [];
    if (linked === undefined || left.some((one) => right.some((other) => linked(one, other)))) return [];
    return [broken(CROSS, right[0]?.node ?? node, right[0]?.alias)];
  });
};

/** A comma, or a condition that is the same for all rows. */
const isSilent = (node: AstNode): boolean =>
  node.ref_type === 'CROSS'
    ? offsetOf(node) === undefined
    : node.ref_type === 'REGULAR' && literalOf(nodeOf(node, 'condition')) !== undefined;

/** Functions and lists, and queries that see what is to their left. */
const bringsOwnRows = (one: Bound): boolean =>
  (one.node.type !== 'BASE_TABLE' && one.node.type !== 'SUBQUERY') || readsOutwards(one);

/** Whether conditions lead from one relation to another; undefined where a condition's relations are not known. */
function linkedBy(select: Select): ((one: Bound, other: Bound) => boolean) | undefined {
  const group = new Map(select.bound.map(({ node }) => [node, node]));
  const rootOf = (node: AstNode): AstNode => {
    const up = group.get(node) ?? node;
    return up === node ? node : rootOf(up);
  };
  for (const test of allTests(select)) {
    const refs = foundIn(test, isColumn).map((ref) => boundOf(ref, select)?.node);
    if (refs.includes(undefined)) return undefined;
    const [first, ...others] = refs.filter((node) => node !== undefined).map(rootOf);
    for (const other of others) if (first !== undefined) group.set(rootOf(other), rootOf(first));
  }
  for (const { node, left, right } of select.joins) {
    const [one, other] = [left[0], right[0]];
    if (sharedNames({ node, left, right }).length > 0 && one && other) group.set(rootOf(other.node), rootOf(one.node));
  }
  return (one, other) => rootOf(one.node) === rootOf(other.node);
}

const isSingle = ({ facts }: Bound): boolean => facts?.keys?.some((key) => key.length === 0) === true;
const readsOutwards = ({ node }: Bound): boolean => node.type === 'SUBQUERY' && /"LATERAL"/.test(JSON.stringify(node));

/** What has to hold of the rows of a SELECT: its conditions, of joins too. */
const allTests = ({ node, joins }: Select): AstNode[] => [
  ...conjuncts(nodeOf(node, 'where_clause')),
  ...joins.flatMap((join) => conjuncts(nodeOf(join.node, 'condition'))),
];

const ADDING = new Set(['sum', 'avg', 'mean', 'fsum', 'kahan_sum', 'sumkahan', 'favg', 'stddev', 'variance', 'median']);

/** Sums of one relation's values over a join with another one that may have several rows for each of them. */
const fanOuts: OfSelect = (select) => {
  if (select.joins.length === 0) return [];
  const parts = [select.node.select_list, select.node.having];
  const sums = foundIn(parts, (node, path) => isAdding(node) && !path.some(({ class: kind }) => kind === 'WINDOW'));
  return sums.flatMap((sum): Broken[] => {
    const refs = foundIn(sum.children, isValue).map((ref) => boundOf(ref, select));
    const [of] = refs;
    if (of === undefined || refs.some((other) => other?.node !== of.node)) return [];
    const repeats = select.bound.some((other) => other.node !== of.node && isRepeating(other, select));
    return repeats ? [broken(FAN_OUT, sum, textOf(sum, 'function_name'))] : [];
  });
};

/** A column that is summed itself, and does not only choose what is. */
const isValue = (ref: AstNode, path: readonly AstNode[]): boolean =>
  isColumn(ref) &&
  !path.some(({ class: kind }) => kind === 'COMPARISON' || kind === 'CONJUNCTION' || kind === 'OPERATOR');

const isAdding = (node: AstNode): boolean =>
  node.class === 'FUNCTION' && node.distinct !== true && ADDING.has(callOf(node) ?? '');

/** Whether a relation may give several rows for one of the others, and the result does not keep them apart. */
function isRepeating(one: Bound, select: Select): boolean {
  const keys = one.facts?.keys;
  if (keys === undefined || keys.length === 0) return false;
  const fixed = new Set([...equalColumns(one, select), ...groupColumns(one, select)]);
  return !keys.some((key) => key.every((name) => fixed.has(fold(name))));
}

const ofBound = (one: Bound, select: Select) => (ref: AstNode | undefined) =>
  ref !== undefined && isColumn(ref) && boundOf(ref, select)?.node === one.node;

function equalColumns(one: Bound, select: Select): string[] {
  const isOwn = ofBound(one, select);
  const compared = allTests(select).flatMap(equalSides);
  const shared = select.joins.filter(({ left, right }) => [...left, ...right].some(({ node }) => node === one.node));
  return [...compared.filter(isOwn).map(lastName), ...shared.flatMap(sharedNames)];
}

/** What a condition makes equal to something else, each side; of alternatives what all of them do. */
function equalSides(test: AstNode): AstNode[] {
  if (test.type === 'COMPARE_EQUAL') return [...(sidesOf(test) ?? [])];
  if (test.type !== 'CONJUNCTION_OR') return [];
  const [first = [], ...others] = nodesOf(test, 'children').map((one) => conjuncts(one).flatMap(equalSides));
  const texts = others.map((sides) => new Set(sides.map(writtenAs)));
  return first.filter((side) => texts.every((known) => known.has(writtenAs(side))));
}

const sharedNames = ({ node, left, right }: Join): string[] => {
  if (node.ref_type !== 'NATURAL') return textsOf(node, 'using_columns').map(fold);
  const names = (side: readonly Bound[]) =>
    side.flatMap(({ facts }) => facts?.columns.map(({ name }) => fold(name)) ?? []);
  const others = new Set(names(right));
  return names(left).filter((name) => others.has(name));
};

const groupColumns = (one: Bound, select: Select): string[] =>
  (groupsOf(select.node) ?? []).filter(ofBound(one, select)).map(lastName);

const lastName = (ref: AstNode): string => fold(textsOf(ref, 'column_names').at(-1) ?? '');

/** Conditions that no row passes which an outer join has filled up. */
const undoneJoins: OfSelect = (select) =>
  conjuncts(nodeOf(select.node, 'where_clause')).flatMap((test) => {
    const ref = strictColumn(test, select);
    return ref === undefined ? [] : [broken(UNDONE, ref, textsOf(ref, 'column_names').join('.'))];
  });

const STRICT_TESTS = /^(?:COMPARE_(?!DISTINCT_FROM|NOT_DISTINCT_FROM)|OPERATOR_IS_NOT_NULL|BETWEEN)/;
const STRICT_CALLS = new Set([
  '~~',
  '!~~',
  '~~*',
  '!~~*',
  'starts_with',
  'ends_with',
  'contains',
  'prefix',
  'suffix',
  'regexp_matches',
]);
const STRICT_VALUES = new Set([
  'lower',
  'upper',
  'trim',
  'abs',
  'round',
  'date_trunc',
  'year',
  'month',
  '+',
  '-',
  '*',
  '/',
]);

/** A column of an optional relation without whose value the test cannot hold. */
function strictColumn(test: AstNode, select: Select): AstNode | undefined {
  const isStrict = STRICT_TESTS.test(String(test.type)) || STRICT_CALLS.has(callOf(test) ?? '');
  if (!isStrict) return undefined;
  const values = [test.left, test.right, test.input, nodesOf(test, 'children')[0]].filter(
    (value) => value !== undefined,
  );
  const direct = (node: AstNode): AstNode | undefined => {
    if (isColumn(node)) return node;
    if (node.class === 'CAST') return direct(nodeOf(node, 'child') ?? {});
    return STRICT_VALUES.has(callOf(node) ?? '') ? nodesOf(node, 'children').map(direct).find(Boolean) : undefined;
  };
  const refs = (values as AstNode[]).map(direct).filter((ref) => ref !== undefined);
  return refs.find((ref) => boundOf(ref, select)?.optional === true && !keepsAbsent(test, select));
}

/** Whether the condition keeps rows without the relation too, as it asks elsewhere whether this value is NULL. */
const keepsAbsent = (test: AstNode, { node }: Select): boolean =>
  foundIn(nodeOf(node, 'where_clause'), ({ type }) => type === 'OPERATOR_IS_NULL').some(
    (isNull) => writtenAs(nodesOf(isNull, 'children')[0]) === writtenAs(nodeOf(test, 'left')),
  );

export const JOIN_RULES = [CROSS, FAN_OUT, UNDONE];
export const joinRules: readonly OfSelect[] = [crossJoins, fanOuts, undoneJoins];
