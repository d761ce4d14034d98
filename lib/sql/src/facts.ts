import { type AstNode, ctesOf, fold, isNode, nodeOf, offsetOf, textOf } from './ast.ts';

/** One mention of a table that no common table expression provides. */
export interface TableUse {
  readonly name: string;
  /** The name behind its catalogue and schema, as far as they are written. */
  readonly path: readonly string[];
  /** `AT (VERSION …)` or `AT (TIMESTAMP …)`. */
  readonly dated: boolean;
  readonly offset: number;
}

export interface FunctionUse {
  readonly name: string;
  readonly place: 'from' | 'expression';
  readonly offset: number;
}

/** A form that this walker does not know, or that is no part of a plain SELECT. */
export interface ConstructUse {
  readonly name: string;
  readonly offset: number;
}

/** What a SELECT mentions, in the order of the document. */
export interface SelectFacts {
  readonly tables: readonly TableUse[];
  readonly functions: readonly FunctionUse[];
  readonly constructs: readonly ConstructUse[];
}

interface Found {
  readonly tables: TableUse[];
  readonly functions: FunctionUse[];
  readonly constructs: ConstructUse[];
}

interface Surroundings {
  readonly found: Found;
  /** Folded names of the common table expressions in sight. */
  readonly ctes: ReadonlySet<string>;
  readonly offset: number;
}

const QUERIES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE']);
const PLAIN = new Set([
  ...['JOIN', 'SUBQUERY', 'EXPRESSION_LIST', 'EMPTY', 'PIVOT'],
  ...['ORDER_MODIFIER', 'LIMIT_MODIFIER', 'LIMIT_PERCENT_MODIFIER', 'DISTINCT_MODIFIER'],
  ...['ORDER_DEFAULT', 'ASCENDING', 'DESCENDING'],
]);
const EXPRESSIONS = new Set([
  ...['BETWEEN', 'CASE', 'CAST', 'COLLATE', 'COLUMN_REF', 'COMPARISON', 'CONJUNCTION', 'CONSTANT', 'FUNCTION'],
  ...['LAMBDA', 'OPERATOR', 'POSITIONAL_REFERENCE', 'STAR', 'SUBQUERY', 'WINDOW'],
]);

/** Walks a query node. Whatever it does not know is a construct, so that new syntax is never overlooked. */
export function factsOf(query: AstNode): SelectFacts {
  const found: Found = { tables: [], functions: [], constructs: [] };
  visit(query, { found, ctes: new Set(), offset: 0 });
  return found;
}

function visit(value: unknown, around: Surroundings): void {
  if (Array.isArray(value)) for (const item of value) visit(item, around);
  if (!isNode(value)) return;
  const here = { ...around, offset: offsetOf(value) ?? around.offset };
  if (typeof value.class === 'string') visitExpression(value, here);
  else if (typeof value.type === 'string') visitTyped(value, value.type, here);
  else visitMembers(value, here);
}

function visitMembers(node: AstNode, around: Surroundings, but: readonly string[] = []): void {
  for (const [member, value] of Object.entries(node)) if (!but.includes(member)) visit(value, around);
}

function visitExpression(node: AstNode, around: Surroundings): void {
  const { found, offset } = around;
  const name = textOf(node, 'function_name');
  if (!EXPRESSIONS.has(String(node.class))) found.constructs.push({ name: String(node.class), offset });
  else if (name !== undefined) found.functions.push({ name, place: 'expression', offset });
  if (node.class !== 'CONSTANT') visitMembers(node, around);
}

function visitTyped(node: AstNode, type: string, around: Surroundings): void {
  if (QUERIES.has(type)) visitQuery(node, around);
  else if (type === 'BASE_TABLE') visitTable(node, around);
  else if (type === 'TABLE_FUNCTION') visitTableFunction(node, around);
  else if (PLAIN.has(type) || type.endsWith('_TYPE_INFO')) visitMembers(node, around);
  else around.found.constructs.push({ name: type, offset: around.offset });
}

/** An expression sees only those before it; itself too where it is recursive, but not in its first part. */
function visitQuery(node: AstNode, around: Surroundings): void {
  let inside = around;
  for (const { name, query } of ctesOf(node)) {
    visit(query, inside);
    inside = { ...inside, ctes: new Set([...inside.ctes, fold(name)]) };
  }
  const itself = node.type === 'RECURSIVE_CTE_NODE' ? textOf(node, 'cte_name') : undefined;
  const recursion = itself === undefined ? inside : { ...inside, ctes: new Set([...inside.ctes, fold(itself)]) };
  visit(node.right, recursion);
  visitMembers(node, inside, ['cte_map', 'right']);
}

function visitTable(node: AstNode, { found, ctes, offset }: Surroundings): void {
  const name = textOf(node, 'table_name') ?? '';
  const qualifiers = [textOf(node, 'catalog_name'), textOf(node, 'schema_name')].filter((part) => part !== undefined);
  const dated = nodeOf(node, 'at_clause') !== undefined;
  const plain = qualifiers.length === 0 || (qualifiers.length === 1 && fold(qualifiers[0] ?? '') === 'recurring');
  if (plain && !dated && ctes.has(fold(name))) return;
  found.tables.push({ name, path: [...qualifiers, name], dated, offset });
}

function visitTableFunction(node: AstNode, around: Surroundings): void {
  const call = nodeOf(node, 'function');
  const name = call && textOf(call, 'function_name');
  const { found, offset } = around;
  if (call === undefined || name === undefined) found.constructs.push({ name: 'TABLE_FUNCTION', offset });
  else found.functions.push({ name, place: 'from', offset });
  if (call !== undefined) visitMembers(call, around);
  visitMembers(node, around, ['function']);
}
