import {
  type AstNode,
  ctesOf,
  fold,
  isNode,
  listOf,
  nodeOf,
  nodesOf,
  queryOf,
  readStatement,
  textOf,
  textsOf,
} from '../ast.ts';
import { AGGREGATES } from '../functions.ts';

/** Why a statement over the new rows of an input cannot stand for one over all of its rows. */
export type IncrementFault =
  | 'increment_not_read'
  | 'increment_read_twice'
  | 'increment_join'
  | 'increment_set_operation'
  | 'increment_nested'
  | 'increment_limit'
  | 'increment_having'
  | 'increment_qualify'
  | 'increment_construct'
  | 'increment_not_by_row'
  | 'increment_clock'
  | 'increment_column';

/**
 * How the result follows from the rows of one input. `rows`: each gives rows of its own. `keys`: what has the same values in
 * the columns follows from rows which give these values.
 */
export type IncrementShape = { readonly shape: 'rows' | 'keys' } | { readonly fault: IncrementFault };

export interface IncrementOf {
  /** Catalogue, schema and name of the input. */
  readonly input: readonly string[];
  /** Columns of the result that name or divide its rows. */
  readonly columns: readonly string[];
}

/** What a part of a statement is of the input; `none`: it does not read it. */
type Part = 'none' | 'rows' | 'keys';

class Unfit extends Error {
  readonly fault: IncrementFault;

  constructor(fault: IncrementFault) {
    super(fault);
    this.fault = fault;
  }
}

/** Judges a statement that the gate has passed; what is not known to be right is a fault. Pure. */
export function incrementShape(ast: unknown, asked: IncrementOf): IncrementShape {
  const statement = readStatement(ast);
  if ('fault' in statement) return { fault: 'increment_construct' };
  const input = asked.input.map(fold).join('.');
  const reads = tablesIn(statement.query).filter((table) => pathOf(table) === input).length;
  if (reads !== 1) return { fault: reads === 0 ? 'increment_not_read' : 'increment_read_twice' };
  try {
    const shape = partOf(statement.query, { input, columns: asked.columns.map(fold), ctes: new Map(), isTop: true });
    return shape === 'none' ? { fault: 'increment_join' } : { shape };
  } catch (error) {
    if (error instanceof Unfit) return { fault: error.fault };
    throw error;
  }
}

interface Around {
  readonly input: string;
  readonly columns: readonly string[];
  /** What common table expressions in sight are, by folded name. */
  readonly ctes: ReadonlyMap<string, Part>;
  readonly isTop: boolean;
}

function partOf(query: AstNode, around: Around): Part {
  const ctes = new Map(around.ctes);
  for (const { name, query: body } of ctesOf(query)) {
    const part = partOf(body, { ...around, ctes, isTop: false });
    const uses = tablesIn(query).filter((table) => pathOf(table) === fold(name)).length;
    if (part !== 'none' && uses > 1) throw new Unfit('increment_read_twice');
    ctes.set(fold(name), part);
  }
  const inside = { ...around, ctes };
  if (query.type === 'SELECT_NODE') return selectPart(query, inside);
  if (reads(query, inside)) {
    throw new Unfit(query.type === 'SET_OPERATION_NODE' ? 'increment_set_operation' : 'increment_construct');
  }
  return 'none';
}

function selectPart(select: AstNode, around: Around): Part {
  const from = nodeOf(select, 'from_table');
  const part = from === undefined ? 'none' : fromPart(from, around);
  if (part === 'none') {
    // Beside FROM it is read by a subquery of an expression.
    if (reads({ ...select, cte_map: null }, around)) throw new Unfit('increment_nested');
    return 'none';
  }
  const shape = shapeOf(select, around.columns);
  if (shape === 'keys' && !around.isTop) throw new Unfit('increment_nested');
  return shape;
}

/** A FROM in which every row of the input gives rows of its own, whatever other rows there are. */
function fromPart(node: AstNode, around: Around): Part {
  if (nodeOf(node, 'sample') !== undefined) {
    if (reads(node, around)) throw new Unfit('increment_construct');
    return 'none';
  }
  switch (node.type) {
    case 'BASE_TABLE': {
      const path = pathOf(node);
      return around.ctes.get(path) ?? (path === around.input ? 'rows' : 'none');
    }
    case 'SUBQUERY': {
      const query = queryOf(node, 'subquery');
      return query === undefined ? 'none' : partOf(query, { ...around, isTop: false });
    }
    case 'JOIN':
      return joinPart(node, around);
    default:
      if (reads(node, around)) throw new Unfit('increment_construct');
      return 'none';
  }
}

/** Joins by the side on which the input may be. */
const SIDES: Readonly<Record<string, 'both' | 'left' | 'right'>> = {
  ...{ INNER: 'both', LEFT: 'left', SEMI: 'left', ANTI: 'left', RIGHT: 'right' },
};
const JOINS: readonly unknown[] = ['REGULAR', 'NATURAL', 'CROSS'];

function joinPart(node: AstNode, around: Around): Part {
  const [left, right] = (['left', 'right'] as const).map((side) => {
    const one = nodeOf(node, side);
    return one === undefined ? 'none' : fromPart(one, around);
  });
  if (left === 'none' && right === 'none') return 'none';
  const side = left === 'none' ? 'right' : 'left';
  const allowed = SIDES[String(node.join_type)];
  const fits = node.ref_type === 'ASOF' ? side === 'left' : JOINS.includes(node.ref_type);
  if (!fits || (allowed !== 'both' && allowed !== side)) throw new Unfit('increment_join');
  return 'rows';
}

function shapeOf(select: AstNode, columns: readonly string[]): Part {
  if (nodeOf(select, 'sample') !== undefined) throw new Unfit('increment_construct');
  if (nodeOf(select, 'having') !== undefined) throw new Unfit('increment_having');
  const items = nodesOf(select, 'select_list');
  const modifiers = nodesOf(select, 'modifiers');
  if (modifiers.some(({ type }) => String(type).startsWith('LIMIT'))) throw new Unfit('increment_limit');
  const distinct = modifiers.filter(({ type }) => type === 'DISTINCT_MODIFIER');
  const targets = distinct.flatMap((one) => nodesOf(one, 'distinct_on_targets'));
  const qualify = nodeOf(select, 'qualify');
  const windows = within([items, qualify], (node) => node.class === 'WINDOW');
  const groups = listOf(select, 'group_expressions');
  const isGrouped =
    groups.length > 0 ||
    select.aggregate_handling === 'FORCE_AGGREGATES' ||
    within([items, qualify], isAggregate).length > 0;
  if (!isGrouped && distinct.length === 0 && windows.length === 0 && qualify === undefined) return 'rows';
  if (listOf(select, 'group_sets').length > 1) throw new Unfit('increment_construct');
  if (qualify !== undefined && !keepsOne(qualify)) throw new Unfit('increment_qualify');
  for (const column of columns) {
    const item = itemOf(items, column);
    const mixes = within([item], (node) => node.class === 'WINDOW' || isAggregate(node)).length > 0;
    const has = (list: readonly AstNode[]) => list.some((one) => shown(one) === shown(item));
    const isDivided = windows.every((window) => has(nodesOf(window, 'partitions')));
    if (mixes || !isDivided || (targets.length > 0 && !has(targets))) throw new Unfit('increment_column');
  }
  return 'keys';
}

/** The expression of a column of the result. */
function itemOf(items: readonly AstNode[], column: string): AstNode {
  const named = items.find((item) => fold(nameOf(item) ?? '') === column);
  const star = items.find((item) => item.class === 'STAR');
  if (named !== undefined) return named;
  if (star === undefined || star.columns === true || isNode(star.expr) || replaces(star))
    throw new Unfit('increment_column');
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', column_names: [column] };
}

const replaces = (star: AstNode): boolean =>
  ['replace_list', 'rename_list'].some((member) => listOf(star, member).length > 0);

const nameOf = (item: AstNode): string | undefined =>
  textOf(item, 'alias') ?? (item.class === 'COLUMN_REF' ? textsOf(item, 'column_names').at(-1) : undefined);

const isAggregate = (node: AstNode): boolean =>
  node.class === 'FUNCTION' && AGGREGATES.has(fold(textOf(node, 'function_name') ?? ''));

const RANKINGS: readonly unknown[] = ['WINDOW_ROW_NUMBER', 'WINDOW_RANK', 'WINDOW_RANK_DENSE'];

/** Whether a QUALIFY takes the first rows by rank, so that each partition keeps one. */
function keepsOne(qualify: AstNode): boolean {
  const [left, right] = [nodeOf(qualify, 'left'), nodeOf(qualify, 'right')];
  const value = right?.class === 'CONSTANT' ? Number(nodeOf(right, 'value')?.value) : Number.NaN;
  const isFirst = qualify.type === 'COMPARE_EQUAL' ? value === 1 : value >= 1;
  const compares = ['COMPARE_EQUAL', 'COMPARE_LESSTHANOREQUALTO'].includes(String(qualify.type));
  return compares && isFirst && RANKINGS.includes(left?.type);
}

/** An expression without its place and alias, its names folded. */
function shown(value: unknown): string {
  return JSON.stringify(value, (member, one) => {
    if (member === 'query_location' || member === 'alias') return undefined;
    return member === 'column_names' && Array.isArray(one) ? one.map((name) => fold(String(name))) : one;
  });
}

/** The nodes of expressions for which it holds; those of queries in them are none. */
function within(values: readonly unknown[], holds: (node: AstNode) => boolean): AstNode[] {
  return values.flatMap((value): AstNode[] => {
    if (Array.isArray(value)) return within(value, holds);
    if (!isNode(value)) return [];
    const inside = value.class === 'SUBQUERY' ? [] : within(Object.values(value), holds);
    return [...(holds(value) ? [value] : []), ...inside];
  });
}

function tablesIn(value: unknown): AstNode[] {
  if (Array.isArray(value)) return value.flatMap(tablesIn);
  if (!isNode(value)) return [];
  return [...(value.type === 'BASE_TABLE' ? [value] : []), ...Object.values(value).flatMap(tablesIn)];
}

const pathOf = (table: AstNode): string =>
  ['catalog_name', 'schema_name', 'table_name'].flatMap((part) => fold(textOf(table, part) ?? '') || []).join('.');

/** Whether the input, or a common table expression that reads it, is mentioned anywhere in a node. */
const reads = (node: AstNode, { input, ctes }: Around): boolean =>
  tablesIn(node).some((table) => {
    const path = pathOf(table);
    return path === input || (ctes.get(path) ?? 'none') !== 'none';
  });
