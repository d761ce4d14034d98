import { type AstNode, fold, isNode, listOf, nodeOf, nodesOf, offsetOf, textOf, textsOf } from './ast.ts';
import { type Flow, joinFlows } from './flow.ts';
import { type Column, type Notes, named, resolveName, type Scope, visibleColumns } from './scope.ts';

/** Longest pattern of `COLUMNS('…')` that is applied here. */
const MAX_PATTERN = 200;
/** Patterns that mean the same here as in DuckDB and cannot run long. */
const PLAIN_PATTERN = /^\^?(?:[\w ]|\.(?![*+?]))*(?:\.\*)?(?:[\w ]|\.(?![*+?]))*\$?$/;

export interface StarHelp {
  readonly notes: Notes;
  readonly flowOf: (value: unknown) => Flow;
}

/** The columns that `*`, `t.*` or `COLUMNS(…)` stands for; a spread column where that cannot be known. */
export function expandStar(star: AstNode, scope: Scope, help: StarHelp): Column[] {
  const relation = textOf(star, 'relation_name');
  const bindings = scope.bindings.filter(({ alias }) => relation === undefined || fold(alias) === fold(relation));
  if (relation !== undefined && bindings.length === 0) return [structureColumn(star, relation, scope, help)];
  const kept = bindings.flatMap((binding) => {
    const columns = relation === undefined ? visibleColumns(binding) : binding.relation.columns;
    return columns.filter(({ name }) => name === undefined || !isExcluded(star, binding.alias, name));
  });
  return choose(
    star,
    kept.map((column) => altered(star, column, help)),
    help,
  );
}

function structureColumn(star: AstNode, name: string, scope: Scope, { notes }: StarHelp): Column {
  const at = offsetOf(star);
  const offset = at === undefined ? {} : { offset: at };
  const note = notes.unresolved({ reason: 'structure_spread', name, ...offset });
  return { flow: joinFlows([resolveName([name], scope, notes, at), note]), spread: true };
}

const isExcluded = (star: AstNode, alias: string, name: string): boolean =>
  textsOf(star, 'exclude_list').some((excluded) => fold(excluded) === fold(name)) ||
  nodesOf(star, 'qualified_exclude_list').some(
    ({ table, column }) => fold(String(column)) === fold(name) && (!table || fold(String(table)) === fold(alias)),
  );

/** A column after `REPLACE` and `RENAME`. */
function altered(star: AstNode, column: Column, { flowOf }: StarHelp): Column {
  const name = fold(column.name ?? '');
  const replaced = nodesOf(star, 'replace_list').find(({ key }) => fold(String(key)) === name);
  const renamed = nodesOf(star, 'rename_list').find(({ key }) => isNode(key) && fold(String(key.column)) === name);
  return {
    ...column,
    ...(replaced === undefined ? {} : { flow: flowOf(replaced.value) }),
    ...(renamed === undefined ? {} : { name: String(renamed.value) }),
  };
}

/** The columns that the pattern or list in `COLUMNS(…)` picks. */
function choose(star: AstNode, columns: Column[], { notes }: StarHelp): Column[] {
  const chooser = nodeOf(star, 'expr');
  if (chooser === undefined) return columns;
  const pattern = constantText(chooser);
  const list = chooser.function_name === 'list_value' ? listOf(chooser, 'children').map(constantText) : [undefined];
  if (!columns.some(({ spread }) => spread)) {
    if (pattern !== undefined && pattern.length <= MAX_PATTERN && PLAIN_PATTERN.test(pattern)) {
      const wanted = new RegExp(pattern, 'u');
      return columns.filter(({ name }) => name !== undefined && wanted.test(name));
    }
    if (list.every((name) => name !== undefined)) return list.flatMap((name) => named(columns, fold(name)));
  }
  const at = offsetOf(star);
  const note = notes.unresolved({ reason: 'columns_chosen', ...(at === undefined ? {} : { offset: at }) });
  return [{ flow: joinFlows([...columns.map(({ flow }) => flow), note]), spread: true }];
}

function constantText(value: unknown): string | undefined {
  const constant = isNode(value) && value.class === 'CONSTANT' ? nodeOf(value, 'value') : undefined;
  return typeof constant?.value === 'string' ? constant.value : undefined;
}
