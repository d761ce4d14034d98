import { type AstNode, ctesOf, fold, isNode, listOf, nodeOf, nodesOf, offsetOf, textOf, textsOf } from './ast.ts';
import { columnAt, expressionFlow, holds, type Surroundings } from './expression-flow.ts';
import { asInfluence, type Flow, joinFlows, NO_FLOW, sizeOf } from './flow.ts';
import { readFrom } from './from-relations.ts';
import { AGGREGATES } from './functions.ts';
import {
  bindingOf,
  type Column,
  type Env,
  NO_SCOPE,
  named,
  type Relation,
  rowsByColumns,
  type Scope,
  spreadRelation,
  withNames,
} from './scope.ts';
import { expandStar } from './star.ts';

/** The columns and rows of a query node. */
export function queryRelation(node: AstNode, env: Env, outer: Scope): Relation {
  env.notes.step();
  let inside = env;
  for (const { name, aliases, query } of ctesOf(node)) {
    const relation = withNames(env.query(query, inside, outer), aliases);
    inside = { ...inside, ctes: new Map(inside.ctes).set(fold(name), relation) };
  }
  switch (node.type) {
    case 'SELECT_NODE':
      return selectRelation(node, inside, outer);
    case 'SET_OPERATION_NODE':
      return setRelation(node, inside, outer);
    case 'RECURSIVE_CTE_NODE':
      return recursiveRelation(node, inside, outer);
    default:
      return spreadRelation(env.notes.unresolved({ reason: 'construct', name: String(node.type) }));
  }
}

function selectRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const from = readFrom(nodeOf(node, 'from_table'), env, outer);
  let scope: Scope = { ...NO_SCOPE, bindings: from.bindings, parent: outer };
  const items = nodesOf(node, 'select_list').map((item) => {
    const columns = itemColumns(item, { env, scope });
    if (textOf(item, 'alias') !== undefined) scope = { ...scope, aliases: [...scope.aliases, ...columns] };
    return { item, columns };
  });
  const columns = items.flatMap((item) => item.columns);
  const around = { env, scope };
  const flowOf = ({ columns }: { columns: readonly Column[] }) => joinFlows(columns.map(({ flow }) => flow));
  const grouped = node.aggregate_handling === 'FORCE_AGGREGATES' ? items.filter(({ item }) => !aggregates(item)) : [];
  const rows = [
    ...[node.where_clause, node.having, node.qualify].map((part) => expressionFlow(part, around)),
    ...nodesOf(node, 'group_expressions').map((group) => ordinalFlow(group, columns) ?? expressionFlow(group, around)),
    ...items.filter(({ item }) => holds(item, multipliesRows)).map(flowOf),
    ...grouped.map(flowOf),
  ];
  const by = joinFlows([from.rows, ...rows.map(asInfluence), modifierFlow(node, columns, around)]);
  return { columns, rows: by };
}

const isCall =
  (names: ReadonlySet<string>) =>
  (node: AstNode): boolean =>
    node.class === 'FUNCTION' && names.has(fold(textOf(node, 'function_name') ?? ''));

/** Whether an expression aggregates rows, outside queries in it. */
export const aggregates = (item: AstNode): boolean => holds(item, isCall(AGGREGATES));
const multipliesRows = isCall(new Set(['unnest', 'unlist', 'regexp_split_to_table', 'generate_subscripts']));

/** The columns of one entry of a select list. */
function itemColumns(item: AstNode, around: Surroundings): Column[] {
  const { env, scope } = around;
  const help = { notes: env.notes, flowOf: (value: unknown) => expressionFlow(value, around) };
  if (item.class === 'STAR') return aliased(expandStar(item, scope, help), textOf(item, 'alias'));
  const repeated = repeatedStar(item);
  if (repeated === undefined) return [singleColumn(item, around)];
  const columns = expandStar(repeated, scope, help);
  if (isStarFilter(item)) return [chosenColumn(item, columns, env)];
  const flows = columns.map((column, starAt) => ({ ...column, flow: expressionFlow(item, { ...around, starAt }) }));
  return aliased(flows, textOf(item, 'alias'));
}

const aliased = (columns: Column[], alias: string | undefined): Column[] =>
  alias === undefined ? columns : columns.map((column) => ({ ...column, name: alias }));

const FILTERS = new Set(['~~', '!~~', '~~*', '!~~*', '~~~', 'regexp_full_match', 'not_like_escape', 'like_escape']);

/** `* LIKE 'x%'` chooses columns by their names. */
const isStarFilter = (item: AstNode): boolean =>
  isCall(FILTERS)(item) && nodesOf(item, 'children').some((child) => child.class === 'STAR' && child.columns !== true);

function chosenColumn(item: AstNode, columns: readonly Column[], env: Env): Column {
  const note = env.notes.unresolved({ reason: 'columns_chosen', ...placed(item) });
  return { flow: joinFlows([...columns.map(({ flow }) => flow), note]), spread: true };
}

function placed(node: AstNode): { offset?: number } {
  const offset = offsetOf(node);
  return offset === undefined ? {} : { offset };
}

/** The star that repeats an expression for each of its columns. */
function repeatedStar(item: AstNode): AstNode | undefined {
  let star: AstNode | undefined;
  const look = (node: AstNode) => {
    if (node.class === 'STAR' && (node.columns === true || isStarFilter(item))) star ??= node;
    return star !== undefined || node.type === 'OPERATOR_UNPACK' ? star !== undefined : false;
  };
  holds(withoutUnpacked(item), look);
  return star;
}

/** `*COLUMNS(…)` puts its columns into one call. */
function withoutUnpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnpacked);
  if (!isNode(value)) return value;
  if (value.type === 'OPERATOR_UNPACK') return {};
  if (value.class === 'STAR' || value.class === 'SUBQUERY') return value;
  return Object.fromEntries(Object.entries(value).map(([member, child]) => [member, withoutUnpacked(child)]));
}

function singleColumn(item: AstNode, around: Surroundings): Column {
  const flow = expressionFlow(item, around);
  const name =
    textOf(item, 'alias') ?? (item.class === 'COLUMN_REF' ? textsOf(item, 'column_names').at(-1) : undefined);
  const column = name === undefined ? { flow } : { name, flow };
  return spreadsStructure(item)
    ? {
        ...column,
        flow: joinFlows([flow, around.env.notes.unresolved({ reason: 'structure_spread', ...placed(item) })]),
      }
    : column;
}

/** `unnest` of a list gives one column, of a structure one for each member; the types tell, and are not known here. */
const spreadsStructure = (item: AstNode): boolean =>
  isCall(new Set(['unnest', 'unlist']))(item) &&
  nodesOf(item, 'children').some(({ class: kind, alias }) => kind === 'COLUMN_REF' || alias === 'recursive');

/** What `ORDER BY 2` and `GROUP BY 2` mean. */
function ordinalFlow(node: AstNode, columns: readonly Column[]): Flow | undefined {
  const constant = node.class === 'CONSTANT' ? nodeOf(node, 'value') : undefined;
  return typeof constant?.value === 'number' ? columnAt(constant.value, columns) : undefined;
}

function modifierFlow(node: AstNode, columns: readonly Column[], { env, scope }: Surroundings): Flow {
  const around = { env, scope: { ...scope, aliases: [...scope.aliases, ...columns], aliasesFirst: true } };
  const flows = nodesOf(node, 'modifiers').flatMap((modifier) => {
    const targets = listOf(modifier, 'distinct_on_targets');
    if (modifier.type === 'DISTINCT_MODIFIER' && targets.length === 0) return [rowsByColumns(columns)];
    const orders = nodesOf(modifier, 'orders').map((order) => nodeOf(order, 'expression') ?? {});
    return [...orders, ...targets.filter(isNode), modifier.limit, modifier.offset].map((part) => {
      if (isNode(part) && part.class === 'STAR') return rowsByColumns(columns);
      const ordinal = isNode(part) && part !== modifier.limit ? ordinalFlow(part, columns) : undefined;
      return asInfluence(ordinal ?? expressionFlow(part, around));
    });
  });
  return joinFlows(flows);
}

function setRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const given = [nodeOf(node, 'left'), nodeOf(node, 'right'), ...nodesOf(node, 'children')];
  const sides = given.filter((side) => side !== undefined).map((side) => env.query(side, env, outer));
  const kind = String(node.setop_type);
  const columns = kind === 'UNION_BY_NAME' ? byName(sides) : byPosition(sides);
  const compared = !kind.startsWith('UNION') || node.setop_all === false;
  const result = { columns, rows: joinFlows(sides.map(({ rows }) => rows)) };
  const scope: Scope = { ...NO_SCOPE, bindings: [bindingOf('', result)], parent: outer };
  const seen = sides.flatMap((side) => side.columns);
  const rows = [result.rows, ...(compared ? [rowsByColumns(seen)] : []), modifierFlow(node, columns, { env, scope })];
  return { columns, rows: joinFlows(rows) };
}

function byPosition(sides: readonly Relation[]): Column[] {
  const all = sides.flatMap(({ columns }) => columns);
  if (all.some(({ spread }) => spread)) return [{ flow: joinFlows(all.map(({ flow }) => flow)), spread: true }];
  return (sides[0]?.columns ?? []).map((column, at) => ({
    ...column,
    flow: joinFlows(sides.map(({ columns }) => columns[at]?.flow ?? NO_FLOW)),
  }));
}

function byName(sides: readonly Relation[]): Column[] {
  const all = sides.flatMap(({ columns }) => columns);
  const unclear = all.some(({ name, spread }) => spread || name === undefined);
  if (unclear) return [{ flow: joinFlows(all.map(({ flow }) => flow)), spread: true }];
  const firsts = new Map<string, Column>();
  for (const column of all) {
    const key = fold(column.name ?? '');
    if (!firsts.has(key)) firsts.set(key, column);
  }
  return [...firsts].map(([key, column]) => ({
    ...column,
    flow: joinFlows(named(all, key).map(({ flow }) => flow)),
  }));
}

/** Passes over the recursive part until nothing new flows. */
function recursiveRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  const name = fold(textOf(node, 'cte_name') ?? '');
  const aliases = textsOf(node, 'aliases');
  const first = left && env.query(left, env, outer);
  if (first === undefined || right === undefined) return first ?? { columns: [], rows: NO_FLOW };
  let whole = withNames(first, aliases);
  for (let before = -1; before < totalOf(whole); ) {
    before = totalOf(whole);
    const next = env.query(right, { ...env, ctes: new Map(env.ctes).set(name, whole) }, outer);
    const columns = byPosition([whole, next]);
    const keys = node.union_all === true ? NO_FLOW : rowsByColumns(columns);
    whole = { columns, rows: joinFlows([whole.rows, next.rows, keys, keyedBy(node, columns)]) };
  }
  return whole;
}

/** `USING KEY` keeps one row a key. */
const keyedBy = (node: AstNode, columns: readonly Column[]): Flow =>
  nodesOf(node, 'key_targets').length > 0 ? rowsByColumns(columns) : NO_FLOW;

const totalOf = ({ columns, rows }: Relation): number =>
  columns.reduce((sum, { flow }) => sum + sizeOf(flow), sizeOf(rows) + columns.length);
