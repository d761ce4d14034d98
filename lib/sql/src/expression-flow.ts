import { type AstNode, fold, isNode, nodeOf, offsetOf, queryOf, textOf, textsOf } from './ast.ts';
import { asInfluence, type Flow, joinFlows, NO_FLOW } from './flow.ts';
import { type Column, type Env, resolveName, type Scope, visibleColumns } from './scope.ts';
import { expandStar } from './star.ts';

export interface Surroundings {
  readonly env: Env;
  readonly scope: Scope;
  /** Which of its columns a `COLUMNS(…)` stands for; all of them when absent. */
  readonly starAt?: number;
}

/** The flow of an expression, or of a list or part of expressions. */
export function expressionFlow(value: unknown, around: Surroundings): Flow {
  if (Array.isArray(value)) return joinFlows(value.map((item) => expressionFlow(item, around)));
  if (!isNode(value)) return NO_FLOW;
  around.env.notes.step();
  switch (value.class) {
    case 'CONSTANT':
      return NO_FLOW;
    case 'COLUMN_REF':
      return resolveName(textsOf(value, 'column_names'), around.scope, around.env.notes, offsetOf(value));
    case 'SUBQUERY':
      return subqueryFlow(value, around);
    case 'LAMBDA':
      return lambdaFlow(value, around);
    case 'STAR':
      return starFlow(value, around);
    case 'POSITIONAL_REFERENCE':
      return columnAt(value.index, around.scope.bindings.flatMap(visibleColumns));
    case 'FUNCTION':
      return joinFlows([methodFlow(value, around), memberFlow(value, around)]);
    default:
      return memberFlow(value, around);
  }
}

const memberFlow = (node: AstNode, around: Surroundings): Flow => {
  const within = node.type === 'OPERATOR_UNPACK' ? { env: around.env, scope: around.scope } : around;
  return joinFlows(
    Object.entries(node)
      .filter(([member]) => member !== 'cast_type')
      .map(([, child]) => expressionFlow(child, within)),
  );
};

/** The flow of a column by its number, which counts from 1; of all of them when a spread column makes numbers unknown. */
export function columnAt(index: unknown, columns: readonly Column[]): Flow {
  const known = typeof index === 'number' && !columns.some(({ spread }) => spread);
  const chosen = known ? columns.slice(index - 1, index) : columns;
  return joinFlows(chosen.map(({ flow }) => flow));
}

/** `EXISTS` asks only whether there are rows. */
function subqueryFlow(node: AstNode, around: Surroundings): Flow {
  const query = queryOf(node, 'subquery');
  if (query === undefined) return NO_FLOW;
  const { columns, rows } = around.env.query(query, around.env, around.scope);
  const exists = String(node.subquery_type).includes('EXISTS');
  const values = exists ? [] : columns.map(({ flow }) => flow);
  return joinFlows([expressionFlow(node.child, around), ...values, asInfluence(rows)]);
}

function lambdaFlow(node: AstNode, around: Surroundings): Flow {
  const params = new Set([...around.scope.params, ...namesIn(node.lhs)]);
  return expressionFlow(node.expr, { ...around, scope: { ...around.scope, params } });
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isNode(value)) return [];
  if (value.class === 'COLUMN_REF') return textsOf(value, 'column_names').map(fold);
  return Object.values(value).flatMap(namesIn);
}

function starFlow(node: AstNode, around: Surroundings): Flow {
  const { scope, env, starAt } = around;
  const columns = expandStar(node, scope, { notes: env.notes, flowOf: (value) => expressionFlow(value, around) });
  return starAt !== undefined && node.columns === true
    ? columnAt(starAt + 1, columns)
    : joinFlows(columns.map(({ flow }) => flow));
}

/** `a.b.upper()` has the value that the function is called on in the place of a schema. */
function methodFlow(call: AstNode, { scope, env }: Surroundings): Flow {
  const schema = textOf(call, 'schema');
  const catalog = textOf(call, 'catalog');
  if (schema === undefined || (catalog === undefined && ['main', 'pg_catalog'].includes(fold(schema)))) return NO_FLOW;
  const names = [catalog, schema].filter((name) => name !== undefined);
  return fold(names.join('.')) === 'system.main' ? NO_FLOW : resolveName(names, scope, env.notes, offsetOf(call));
}

/** Whether an expression holds a node, outside subqueries and the choice of a star. */
export function holds(value: unknown, found: (node: AstNode) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, found));
  if (!isNode(value)) return false;
  if (found(value)) return true;
  if (value.class === 'SUBQUERY') return holds(nodeOf(value, 'child'), found);
  return value.class !== 'STAR' && Object.values(value).some((child) => holds(child, found));
}
