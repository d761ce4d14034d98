import { type AstNode, fold, listOf, nodeOf, nodesOf, offsetOf, queryOf, textOf, textsOf } from './ast.ts';
import { columnAt, expressionFlow } from './expression-flow.ts';
import { asInfluence, type Flow, joinFlows, NO_FLOW, type UnresolvedReason } from './flow.ts';
import {
  type Binding,
  bindingOf,
  type Column,
  type Env,
  NO_SCOPE,
  named,
  type Relation,
  rowsByColumns,
  type Scope,
  spreadRelation,
  visibleColumns,
  withNames,
} from './scope.ts';

/** What a FROM clause offers. */
export interface FromRelations {
  readonly bindings: readonly Binding[];
  readonly rows: Flow;
}

const NONE: FromRelations = { bindings: [], rows: NO_FLOW };

/** Reads a node of FROM; `outer` has the names that it may use, those to the left in the same FROM included. */
export function readFrom(node: AstNode | undefined, env: Env, outer: Scope): FromRelations {
  env.notes.step();
  if (node === undefined) return NONE;
  switch (node.type) {
    case 'EMPTY':
      return NONE;
    case 'BASE_TABLE':
      return as(node, tableRelation(node, env), textOf(node, 'table_name'));
    case 'SUBQUERY':
      return as(node, subqueryRelation(node, env, outer), 'unnamed_subquery');
    case 'EXPRESSION_LIST':
      return as(node, valuesRelation(node, env, outer));
    case 'TABLE_FUNCTION':
      return as(node, functionRelation(node, env, outer), textOf(nodeOf(node, 'function') ?? {}, 'function_name'));
    case 'JOIN':
      return readJoin(node, env, outer);
    case 'PIVOT':
      return as(node, pivotRelation(node, env, outer));
    default:
      return as(node, spreadRelation(note(node, env, 'construct', String(node.type))));
  }
}

function note(node: AstNode, env: Env, reason: UnresolvedReason, name?: string): Flow {
  const offset = offsetOf(node);
  const where = offset === undefined ? {} : { offset };
  return env.notes.unresolved({ reason, ...(name === undefined ? {} : { name }), ...where });
}

function as(node: AstNode, relation: Relation, name = ''): FromRelations {
  const shown = withNames(relation, textsOf(node, 'column_name_alias'));
  return { bindings: [bindingOf(textOf(node, 'alias') ?? name, shown)], rows: relation.rows };
}

function tableRelation(node: AstNode, env: Env): Relation {
  const name = textOf(node, 'table_name') ?? '';
  const schema = textOf(node, 'schema_name');
  const cte = schema === undefined || fold(schema) === 'recurring' ? env.ctes.get(fold(name)) : undefined;
  const path = [textOf(node, 'catalog_name'), schema, name].filter((part) => part !== undefined).join('.');
  return cte ?? env.inputs.get(fold(path)) ?? spreadRelation(note(node, env, 'table_unknown', path));
}

function subqueryRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const query = queryOf(node, 'subquery');
  return query === undefined ? spreadRelation(note(node, env, 'construct')) : env.query(query, env, outer);
}

function valuesRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const lines = listOf(node, 'values').map((line) => (Array.isArray(line) ? line : []));
  const width = Math.max(0, ...lines.map(({ length }) => length));
  const columns = Array.from({ length: width }, (_, at): Column => {
    const flows = lines.map((line) => expressionFlow(line[at], { env, scope: outer }));
    return { name: `col${at}`, flow: joinFlows(flows) };
  });
  return { columns, rows: NO_FLOW };
}

const JSON_COLUMNS = ['key', 'value', 'type', 'atom', 'id', 'parent', 'fullkey', 'path'];

/** How many rows a function gives depends on its arguments. */
function functionRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const call = nodeOf(node, 'function') ?? {};
  const name = fold(textOf(call, 'function_name') ?? '');
  const flows = nodesOf(call, 'children').map((argument) => expressionFlow(argument, { env, scope: outer }));
  const all = joinFlows(flows);
  const rows = asInfluence(all);
  const ordinality = node.with_ordinality === 'WITH_ORDINALITY' ? [{ name: 'ordinality', flow: rows }] : [];
  const recursive = nodesOf(call, 'children').some(({ alias }) => alias === 'recursive');
  if (name === 'unnest' && !recursive) {
    return { columns: [...flows.map((flow) => ({ name, flow })), ...ordinality], rows };
  }
  if (['range', 'generate_series', 'repeat'].includes(name)) {
    const column = { flow: all };
    return { columns: [name === 'repeat' ? column : { ...column, name }, ...ordinality], rows };
  }
  if (['json_each', 'json_tree'].includes(name)) {
    return { columns: JSON_COLUMNS.map((column) => ({ name: column, flow: all })), rows };
  }
  return spreadRelation(joinFlows([all, note(node, env, 'table_function', name)]), rows);
}

/** Any input column may be in any output column of PIVOT and UNPIVOT. */
function pivotRelation(node: AstNode, env: Env, outer: Scope): Relation {
  const source = readFrom(nodeOf(node, 'source'), env, outer);
  const scope = { ...NO_SCOPE, bindings: source.bindings, parent: outer };
  const columns = source.bindings.flatMap(visibleColumns);
  const parts = [node.aggregates, node.pivots, node.groups].map((part) => expressionFlow(part, { env, scope }));
  const all = joinFlows([...columns.map(({ flow }) => flow), ...parts, note(node, env, 'pivot')]);
  return spreadRelation(all, joinFlows([source.rows, rowsByColumns(columns)]));
}

function readJoin(node: AstNode, env: Env, outer: Scope): FromRelations {
  const left = readFrom(nodeOf(node, 'left'), env, outer);
  const lateral: Scope = { ...NO_SCOPE, bindings: left.bindings, parent: outer };
  const right = readFrom(nodeOf(node, 'right'), env, lateral);
  const shared = sharedNames(node, left, right);
  const both: Scope = { ...NO_SCOPE, bindings: [...left.bindings, ...right.bindings], parent: outer };
  const condition = asInfluence(expressionFlow(node.condition, { env, scope: both }));
  const keys = shared.map((name) => keyFlow(name, left, right));
  const rows = joinFlows([left.rows, right.rows, condition, ...keys.map(asInfluence)]);
  if (node.join_type === 'SEMI' || node.join_type === 'ANTI') return { bindings: left.bindings, rows };
  const merged = new Map(shared.map((name, at) => [name, keys[at] ?? NO_FLOW]));
  return { bindings: [...left.bindings.map(mergeInto(merged)), ...right.bindings.map(hide(shared))], rows };
}

const mergeInto =
  (merged: ReadonlyMap<string, Flow>) =>
  (binding: Binding): Binding => ({ ...binding, merged: new Map([...binding.merged, ...merged]) });

const hide =
  (names: readonly string[]) =>
  (binding: Binding): Binding => ({ ...binding, hidden: new Set([...binding.hidden, ...names]) });

function sharedNames(node: AstNode, left: FromRelations, right: FromRelations): string[] {
  if (node.ref_type !== 'NATURAL') return textsOf(node, 'using_columns').map(fold);
  const rights = right.bindings.flatMap(visibleColumns);
  const names = left.bindings.flatMap(visibleColumns).flatMap(({ name }) => (name === undefined ? [] : [fold(name)]));
  return [...new Set(names)].filter((name) => named(rights, name).length > 0);
}

/** A key column of a join has the value of either side. */
function keyFlow(name: string, left: FromRelations, right: FromRelations): Flow {
  const sides = [left, right].map(({ bindings }) => {
    const columns = bindings.flatMap(visibleColumns);
    const known = named(columns, name);
    return columnAt(undefined, known.length > 0 ? known : columns.filter(({ spread }) => spread));
  });
  return joinFlows(sides);
}
