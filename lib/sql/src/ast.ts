/** A node of the document that DuckDB's `json_serialize_sql` writes; members with default values may be absent. */
export type AstNode = { readonly [member: string]: unknown };

/** Nested objects and lists that a statement may have; deeper ones would exhaust the stack of a reader. */
const MAX_NESTING = 2_000;
/** Objects and lists that a statement may have. */
const MAX_NODES = 200_000;
/** What DuckDB writes for a node without a place in the text, read as a number of JavaScript. */
const NOWHERE = 2 ** 63;

export const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function nodeOf(node: AstNode, member: string): AstNode | undefined {
  const value = node[member];
  return isNode(value) ? value : undefined;
}

export function listOf(node: AstNode, member: string): readonly unknown[] {
  const value = node[member];
  return Array.isArray(value) ? value : [];
}

export const nodesOf = (node: AstNode, member: string): AstNode[] => listOf(node, member).filter(isNode);

export const textsOf = (node: AstNode, member: string): string[] =>
  listOf(node, member).filter((value) => typeof value === 'string');

/** Undefined for an absent text and for the empty one. */
export function textOf(node: AstNode, member: string): string | undefined {
  const value = node[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The byte of the text where a node begins. */
export function offsetOf(node: AstNode): number | undefined {
  const value = node.query_location;
  return typeof value === 'number' && value >= 0 && value < NOWHERE ? value : undefined;
}

/** Folds a name as DuckDB compares names: letters of ASCII only. */
export const fold = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The query of a subquery or common table expression. */
export function queryOf(node: AstNode, member: string): AstNode | undefined {
  const statement = nodeOf(node, member);
  return statement === undefined ? undefined : (nodeOf(statement, 'node') ?? statement);
}

/** A common table expression of a query node, in the order of the text. */
export interface Cte {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly query: AstNode;
}

export function ctesOf(query: AstNode): Cte[] {
  const map = nodeOf(query, 'cte_map');
  return (map === undefined ? [] : nodesOf(map, 'map')).flatMap((entry) => {
    const value = nodeOf(entry, 'value');
    const body = value && queryOf(value, 'query');
    if (value === undefined || body === undefined) return [];
    return [{ name: String(entry.key ?? ''), aliases: textsOf(value, 'aliases'), query: body }];
  });
}

export type StatementFault = 'syntax' | 'not_select' | 'several_statements' | 'too_complex';

export type Statement =
  | { readonly query: AstNode }
  | { readonly fault: StatementFault; readonly offset?: number; readonly name?: string };

/** The query node of a document with exactly one SELECT of bounded size; else what is wrong with it. */
export function readStatement(ast: unknown): Statement {
  if (!isNode(ast)) return { fault: 'syntax' };
  if (!isBounded(ast)) return { fault: 'too_complex' };
  if (ast.error === true) {
    if (ast.error_type !== 'parser') return { fault: 'not_select' };
    const near = /at or near "(.*)"/s.exec(String(ast.error_message ?? ''))?.[1];
    const offset = Number(ast.position ?? Number.NaN);
    return {
      fault: 'syntax',
      ...(Number.isFinite(offset) ? { offset } : {}),
      ...(near === undefined ? {} : { name: near }),
    };
  }
  const [statement, another] = nodesOf(ast, 'statements');
  const query = statement && nodeOf(statement, 'node');
  if (query === undefined) return { fault: 'not_select' };
  return another === undefined ? { query } : { fault: 'several_statements' };
}

function isBounded(ast: AstNode): boolean {
  let level: object[] = [ast];
  let nodes = 1;
  for (let nesting = 0; level.length > 0; nesting++) {
    if (nesting > MAX_NESTING || nodes > MAX_NODES) return false;
    level = level.flatMap((node) => Object.values(node).filter((value) => typeof value === 'object' && value !== null));
    nodes += level.length;
  }
  return true;
}
