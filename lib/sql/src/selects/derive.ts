import { type AstNode, fold, isNode, listOf, nodeOf, nodesOf, textOf } from '../ast.ts';
import { aggregates } from '../query-relation.ts';
import { meantBy, type Select } from './bound.ts';
import { callOf, castType, conjuncts, isColumn, literalOf, nameOf, sidesOf, writtenAs } from './expressions.ts';
import type { ColumnFacts, RelationFacts } from './facts.ts';

/** What is known of the rows that a SELECT gives; undefined where its columns are not known. */
export function resultFacts(select: Select): RelationFacts | undefined {
  const columns = nodesOf(select.node, 'select_list').map((item) => columnsOf(item, select));
  if (columns.some((known) => known === undefined)) return undefined;
  const present = presentColumns(select);
  const all = columns
    .flatMap((known) => known ?? [])
    .map(({ text, ...column }) => ({
      ...column,
      nullable: text !== undefined && present.has(text) ? false : column.nullable,
    }));
  return { columns: all, keys: keysOf(select) };
}

type Derived = ColumnFacts & { readonly text?: string };

function columnsOf(item: AstNode, select: Select): Derived[] | undefined {
  if (item.class === 'STAR') return starColumns(item, select);
  const name = nameOf(item) ?? '';
  if (isColumn(item)) {
    const meant = meantBy(item, select);
    const facts =
      meant === undefined ? {} : { type: meant.column.type, nullable: meant.bound.optional || meant.column.nullable };
    return [{ name, ...facts, text: writtenAs(item) }];
  }
  if (item.class === 'CAST') return [{ name, type: castType(item) }];
  const constant = literalOf(item);
  if (constant !== undefined) return [{ name, type: constant.type, nullable: constant.value === null }];
  return [
    callOf(item) === 'count_star' || callOf(item) === 'count' ? { name, type: 'BIGINT', nullable: false } : { name },
  ];
}

function starColumns(item: AstNode, { bound }: Select): Derived[] | undefined {
  const changes = ['exclude_list', 'qualified_exclude_list', 'replace_list', 'rename_list', 'expr'];
  const isPlain = changes.every((member) => item[member] === undefined || listOf(item, member).length === 0);
  const of = textOf(item, 'relation_name');
  const among = bound.filter(({ alias }) => of === undefined || fold(alias) === fold(of));
  if (!isPlain || among.length === 0 || among.some(({ facts }) => facts === undefined)) return undefined;
  return among.flatMap(({ facts, optional }) =>
    (facts?.columns ?? []).map((column) => ({ ...column, nullable: optional || column.nullable })),
  );
}

/** Columns of which WHERE lets no row without a value through. */
const presentColumns = ({ node }: Select): ReadonlySet<string> =>
  new Set(
    conjuncts(nodeOf(node, 'where_clause'))
      .filter(({ type }) => type === 'OPERATOR_IS_NOT_NULL')
      .flatMap((test) => nodesOf(test, 'children').map(writtenAs)),
  );

/** Sets of columns of the result that no two of its rows share. */
function keysOf(select: Select): string[][] {
  const { node } = select;
  const items = nodesOf(node, 'select_list');
  const groups = groupsOf(node);
  if (groups !== undefined) {
    const names = groups.map((group) => outputOf(group, items));
    return names.every((name) => name !== undefined) ? [names] : [];
  }
  if (items.some(aggregates)) return [[]];
  const modifiers = nodesOf(node, 'modifiers');
  if (modifiers.some(({ limit }) => isNode(limit) && Number(literalOf(limit)?.value) === 1)) return [[]];
  if (modifiers.some((one) => one.type === 'DISTINCT_MODIFIER' && listOf(one, 'distinct_on_targets').length === 0)) {
    const names = items.map(nameOf);
    return names.every((name) => name !== undefined) && names.length > 0 ? [names] : [];
  }
  return [...firstOfEach(node, items), ...inheritedKeys(select, items)];
}

/** What rows are grouped by; undefined for a SELECT without groups. Ordinals and ALL are resolved. */
export function groupsOf(node: AstNode): AstNode[] | undefined {
  const items = nodesOf(node, 'select_list');
  if (node.aggregate_handling === 'FORCE_AGGREGATES') {
    return items.filter((item) => !aggregates(item));
  }
  const groups = nodesOf(node, 'group_expressions');
  if (groups.length === 0) return undefined;
  return groups.map((group) => {
    const at = literalOf(group)?.value;
    return (typeof at === 'number' ? items[at - 1] : undefined) ?? group;
  });
}

/** The name in the result of an expression of the query, by its text or alias. */
function outputOf(expression: AstNode, items: readonly AstNode[]): string | undefined {
  const text = writtenAs(expression);
  const alias = isColumn(expression) ? nameOf(expression) : undefined;
  const item = items.find(
    (one) => writtenAs(one) === text || (alias !== undefined && fold(textOf(one, 'alias') ?? '') === fold(alias)),
  );
  return item && nameOf(item);
}

/** `qualify row_number() over (partition by k …) = 1` leaves one row for each k. */
function firstOfEach(node: AstNode, items: readonly AstNode[]): string[][] {
  return conjuncts(nodeOf(node, 'qualify')).flatMap((test) => {
    const [window, one] = sidesOf(test) ?? [];
    if (window?.type !== 'WINDOW_ROW_NUMBER' || literalOf(one)?.value !== 1) return [];
    const partitions = nodesOf(window, 'partitions');
    const names = partitions.map((part) => outputOf(part, items) ?? starName(part, items));
    return names.every((name) => name !== undefined) ? [names] : [];
  });
}

const starName = (part: AstNode, items: readonly AstNode[]): string | undefined =>
  items.some((item) => item.class === 'STAR') && isColumn(part) ? nameOf(part) : undefined;

/** Rows of one relation keep its keys, as far as their columns are in the result. */
function inheritedKeys({ bound, joins }: Select, items: readonly AstNode[]): string[][] {
  const [only] = bound;
  const kept = joins.every(({ node }) => node.join_type === 'SEMI' || node.join_type === 'ANTI');
  if (only?.facts === undefined || bound.length !== 1 || !kept) return [];
  const isStar = items.some((item) => item.class === 'STAR');
  const named = new Map(items.filter(isColumn).map((item) => [fold(columnOf(item)), nameOf(item) ?? '']));
  return (only.facts.keys ?? [])
    .map((key) => key.map((name) => named.get(fold(name)) ?? (isStar ? name : undefined)))
    .filter((key): key is string[] => key.every((name) => name !== undefined));
}

const columnOf = (item: AstNode): string => String(listOf(item, 'column_names').at(-1) ?? '');
