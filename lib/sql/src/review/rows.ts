import { type AstNode, fold, listOf, nodeOf, nodesOf, textOf, textsOf } from '../ast.ts';
import type { Select } from '../selects/bound.ts';
import { callOf, foundIn, isColumn, literalOf } from '../selects/expressions.ts';
import { partsOf } from '../selects/selects.ts';
import { CHANCE } from '../volatile.ts';
import { type Broken, broken, type OfSelect, type OfStatement, type Rule } from './rule.ts';

const NOT_IN: Rule = {
  id: 'not-in-null',
  severity: 'error',
  message: 'NOT IN keeps no row at all once the query gives one NULL. Leave NULL out there, or write NOT EXISTS.',
  bad: 'select c.id from customers c where c.id not in (select o.customer_id from orders o)',
  good: 'select c.id from customers c where not exists (select 1 from orders o where o.customer_id = c.id)',
};
const NO_ORDER: Rule = {
  id: 'window-order',
  severity: 'error',
  message: 'Which row comes first is left to chance: the window has no ORDER BY.',
  bad: 'select id, row_number() over (partition by customer_id) as n from orders',
  good: 'select id, row_number() over (partition by customer_id order by id) as n from orders',
};
const TIES: Rule = {
  id: 'ties',
  severity: 'warning',
  message: 'Rows that are equal in this order are numbered by chance. Add a key of the relation to ORDER BY.',
  bad: 'select * exclude (n) from (select *, row_number() over (partition by customer_id order by ordered_at) as n from orders) where n = 1',
  good: 'select id, total, row_number() over (partition by customer_id order by ordered_at, id) as n from orders',
};
const ANY_ROW: Rule = {
  id: 'distinct-on-order',
  severity: 'error',
  message: 'DISTINCT ON keeps any row of each group: say which by ORDER BY.',
  bad: 'select distinct on (customer_id) customer_id, total from orders',
  good: 'select distinct on (customer_id) customer_id, total from orders order by customer_id, ordered_at desc, id',
};
const USELESS_ORDER: Rule = {
  id: 'order-without-limit',
  severity: 'note',
  message: 'Rows of a table have no order: this ORDER BY costs a sort and changes nothing.',
  bad: 'select id, total from orders order by id',
  good: 'select id, total from orders',
};
const ANY_ROWS: Rule = {
  id: 'limit-without-order',
  severity: 'warning',
  message: 'LIMIT keeps any rows, other ones in each run: say which by ORDER BY.',
  bad: 'select id, total from orders limit 10',
  good: 'select id, total from orders order by id limit 10',
};
const ORDINAL: Rule = {
  id: 'ordinal',
  severity: 'note',
  message: 'A number means the column at that place, whichever it is after the next change. Write its name.',
  bad: 'select customer_id, sum(total) as total from orders group by 1',
  good: 'select customer_id, sum(total) as total from orders group by customer_id',
};

const notIns: OfSelect = ({ node }, { results }) =>
  foundIn(partsOf(node), ({ class: kind, type }) => kind === 'OPERATOR' && type === 'OPERATOR_NOT').flatMap((not) => {
    const [query] = nodesOf(not, 'children');
    if (query?.class !== 'SUBQUERY' || query.subquery_type !== 'ANY') return [];
    const [column] = results.get(query)?.columns ?? [];
    return column?.nullable === false ? [] : [broken(NOT_IN, not)];
  });

const ORDERED = /^WINDOW_(?:ROW_NUMBER|FIRST_VALUE|LAST_VALUE|NTH_VALUE|LAG|LEAD|NTILE|FIRST|LAST)$/;

const windows: OfSelect = (select) =>
  foundIn(partsOf(select.node), ({ type }) => ORDERED.test(String(type))).flatMap((window): Broken[] => {
    const name = textOf(window, 'function_name');
    const orders = nodesOf(window, 'orders').map((order) => nodeOf(order, 'expression') ?? {});
    const inner = nodesOf(window, 'arg_orders');
    if (orders.length === 0 && inner.length === 0) return [broken(NO_ORDER, window, name)];
    return hasTies([...nodesOf(window, 'partitions'), ...orders], select) ? [broken(TIES, window, name)] : [];
  });

/** Whether rows may be equal in all of these, as far as the keys of the one relation are known. */
function hasTies(fixed: readonly AstNode[], select: Select): boolean {
  const [only, another] = select.bound;
  const keys = only?.facts?.keys ?? [];
  if (another !== undefined || keys.length === 0) return false;
  const names = new Set(fixed.filter(isColumn).map((ref) => fold(textsOf(ref, 'column_names').at(-1) ?? '')));
  return !keys.some((key) => key.every((name) => names.has(fold(name))));
}

/** Orders and bounds of each query; numbers that stand for columns. */
const orders: OfStatement = ({ queries }) =>
  queries.flatMap(({ node, isResult }): Broken[] => {
    const modifiers = nodesOf(node, 'modifiers');
    const order = modifiers.find(({ type }) => type === 'ORDER_MODIFIER');
    const limit = modifiers.find(({ type }) => String(type).startsWith('LIMIT'));
    const isOn = modifiers.some(
      (one) => one.type === 'DISTINCT_MODIFIER' && listOf(one, 'distinct_on_targets').length > 0,
    );
    const list = order === undefined ? [] : nodesOf(order, 'orders').map((one) => nodeOf(one, 'expression') ?? {});
    const [first] = list;
    const found: Broken[] = [];
    if (isOn && order === undefined) found.push(broken(ANY_ROW, node));
    if (order !== undefined && first !== undefined && limit === undefined && !isOn)
      found.push(broken(USELESS_ORDER, first));
    if (limit !== undefined && order === undefined && isResult) found.push(broken(ANY_ROWS, limit));
    const numbers = [...nodesOf(node, 'group_expressions'), ...list].filter(
      (one) => typeof literalOf(one)?.value === 'number',
    );
    return [
      ...found,
      ...numbers.slice(0, 1).map((number) => broken(ORDINAL, number, String(literalOf(number)?.value))),
    ];
  });

const CHANCE_RULE: Rule = {
  id: 'volatile',
  severity: 'warning',
  message: 'Gives another value in each run, so that the same inputs make another table.',
  bad: 'select id, random() as sample from orders',
  good: 'select id, hash(id) % 100 as sample from orders',
};

/** Calls of chance. A clock is what freshness is measured with, so that it may be called. */
const chances: OfSelect = ({ node }) =>
  foundIn(partsOf(node), (inner) => CHANCE.has(callOf(inner) ?? '')).map((inner) =>
    broken(CHANCE_RULE, inner, callOf(inner)),
  );

export const ROW_RULES = [NOT_IN, NO_ORDER, TIES, ANY_ROW, USELESS_ORDER, ANY_ROWS, ORDINAL, CHANCE_RULE];
export const rowRules: readonly OfSelect[] = [notIns, windows, chances];
export const orderRules: readonly OfStatement[] = [orders];
