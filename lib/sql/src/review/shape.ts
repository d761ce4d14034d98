import { type AstNode, fold, nodeOf, nodesOf } from '../ast.ts';
import { eachIn, literalOf, nameOf } from '../selects/expressions.ts';
import { partsOf } from '../selects/selects.ts';
import { type Broken, broken, type OfSelect, type OfStatement, type Rule } from './rule.ts';

/** Relations in one SELECT beyond which few people can say what it does. */
const MAX_RELATIONS = 12;
/** CASE inside CASE. */
const MAX_CASES = 4;

const STAR: Rule = {
  id: 'select-star',
  severity: 'note',
  message: 'The columns of the result change with the input. Name those that are meant.',
  bad: 'select * from orders',
  good: 'select id, customer_id, total from orders',
};
const DOUBLED: Rule = {
  id: 'column-repeated',
  severity: 'error',
  message: 'Two columns of the result have one name. Give each a name of its own.',
  bad: 'select o.id, c.id from orders o join customers c on c.id = o.customer_id',
  good: 'select o.id, c.id as customer_id from orders o join customers c on c.id = o.customer_id',
};
const UNNAMED: Rule = {
  id: 'column-unnamed',
  severity: 'warning',
  message: 'The column has a name that is made from its expression, and changes with it. Give it a name.',
  bad: 'select customer_id, sum(total) from orders group by customer_id',
  good: 'select customer_id, sum(total) as total from orders group by customer_id',
};
const UNION: Rule = {
  id: 'union-distinct',
  severity: 'note',
  message: 'UNION compares all rows and drops equal ones. Write UNION ALL unless that is meant.',
  bad: 'select id from orders union select id from returns',
  good: 'select id from orders union all select id from returns',
};
const UNUSED: Rule = {
  id: 'cte-unused',
  severity: 'note',
  message: 'Nothing reads this common table expression.',
  bad: 'with big as (select id from orders where total > 100) select id, total from orders',
  good: 'with big as (select id, total from orders where total > 100) select id, total from big',
};
const COMPLEX: Rule = {
  id: 'complex',
  severity: 'note',
  message: 'So much in one SELECT is hard to read and to test. Split it into transforms or common table expressions.',
  bad: `select a1.id from ${Array.from({ length: MAX_RELATIONS + 1 }, (_, at) => (at === 0 ? 'orders a1' : `join orders a${at + 1} using (id)`)).join(' ')}`,
  good: 'select a1.id from orders a1 join orders a2 using (id)',
};
const CONSTANT: Rule = {
  id: 'constant-condition',
  severity: 'warning',
  message: 'The condition is the same for all rows.',
  bad: 'select id from orders where 1 = 1',
  good: 'select id from orders',
};

/** The columns of the result; of set operations those of the first SELECT, since the others give no names. */
const output: OfStatement = ({ query }) => {
  const items = nodesOf(firstSelect(query), 'select_list');
  const seen = new Set<string>();
  return items.flatMap((item): Broken[] => {
    if (item.class === 'STAR') return item.columns === true ? [] : [broken(STAR, item)];
    const name = nameOf(item);
    if (name === undefined) return [broken(UNNAMED, item)];
    const isKnown = seen.has(fold(name));
    seen.add(fold(name));
    return isKnown ? [broken(DOUBLED, item, name)] : [];
  });
};

const firstSelect = (query: AstNode): AstNode => {
  const left = nodeOf(query, 'left') ?? nodesOf(query, 'children')[0];
  return query.type === 'SELECT_NODE' || left === undefined ? query : firstSelect(left);
};

const unions: OfStatement = ({ queries }) =>
  queries
    .filter(({ node }) => node.setop_type === 'UNION' && node.setop_all === false)
    .map(({ node }) => broken(UNION, nodeOf(node, 'right') ?? nodesOf(node, 'children')[1] ?? node));

const unused: OfStatement = ({ ctes }) =>
  ctes.filter(({ uses }) => uses === 0).map(({ query, name }) => broken(UNUSED, query, name));

const complex: OfSelect = ({ node, bound }) => {
  let deepest = 0;
  eachIn(partsOf(node), (inner, path) => {
    if (inner.class === 'CASE') deepest = Math.max(deepest, 1 + path.filter((one) => one.class === 'CASE').length);
  });
  return bound.length > MAX_RELATIONS || deepest > MAX_CASES ? [broken(COMPLEX, node)] : [];
};

const constants: OfSelect = ({ node }) => {
  const where = nodeOf(node, 'where_clause');
  const tests = where === undefined ? [] : where.type === 'CONJUNCTION_AND' ? nodesOf(where, 'children') : [where];
  return tests.filter(isConstant).map((test) => broken(CONSTANT, test));
};

const isConstant = (test: AstNode): boolean =>
  literalOf(test) !== undefined ||
  (test.class === 'COMPARISON' &&
    [nodeOf(test, 'left'), nodeOf(test, 'right')].every((side) => {
      const value = literalOf(side)?.value;
      return value !== undefined && value !== null;
    }));

export const SHAPE_RULES = [STAR, DOUBLED, UNNAMED, UNION, UNUSED, COMPLEX, CONSTANT];
export const shapeRules: readonly OfSelect[] = [complex, constants];
export const outputRules: readonly OfStatement[] = [output, unions, unused];
