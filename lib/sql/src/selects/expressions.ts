import { type AstNode, fold, isNode, nodeOf, nodesOf, textOf, textsOf } from '../ast.ts';

/** Visits an expression and all in it, but no query inside it. */
export function eachIn(
  value: unknown,
  visit: (node: AstNode, path: readonly AstNode[]) => void,
  path: readonly AstNode[] = [],
): void {
  if (Array.isArray(value)) for (const item of value) eachIn(item, visit, path);
  if (!isNode(value)) return;
  visit(value, path);
  const inside = value.class === 'SUBQUERY' ? [value.child] : Object.values(value);
  for (const child of inside) eachIn(child, visit, [...path, value]);
}

export function foundIn(value: unknown, matches: (node: AstNode, path: readonly AstNode[]) => boolean): AstNode[] {
  const found: AstNode[] = [];
  eachIn(value, (node, path) => {
    if (matches(node, path)) found.push(node);
  });
  return found;
}

/** The parts of a condition that all have to hold. */
export function conjuncts(condition: AstNode | undefined): AstNode[] {
  if (condition === undefined) return [];
  return condition.type === 'CONJUNCTION_AND' ? nodesOf(condition, 'children').flatMap(conjuncts) : [condition];
}

export const callOf = (node: AstNode): string | undefined =>
  node.class === 'FUNCTION' || node.class === 'WINDOW' ? fold(textOf(node, 'function_name') ?? '') : undefined;

export const isColumn = (node: AstNode): boolean => node.class === 'COLUMN_REF';

/** The value of a literal or of its cast; undefined for other expressions. */
export function literalOf(node: AstNode | undefined): { value: unknown; type: string } | undefined {
  if (node?.class === 'CAST') {
    const inner = literalOf(nodeOf(node, 'child'));
    return inner && { value: inner.value, type: typeName(nodeOf(node, 'cast_type')) };
  }
  if (node?.class !== 'CONSTANT') return undefined;
  const value = nodeOf(node, 'value');
  return value && { value: value.is_null === true ? null : value.value, type: typeName(nodeOf(value, 'type')) };
}

const typeName = (type: AstNode | undefined): string => String(type?.id ?? '');

export const castType = (node: AstNode): string => typeName(nodeOf(node, 'cast_type'));

const COMPARISONS = /^COMPARE_(?:EQUAL|NOTEQUAL|LESSTHAN|GREATERTHAN|LESSTHANOREQUALTO|GREATERTHANOREQUALTO)$/;

/** The two sides of `=`, `<>`, `<` and their like. */
export function sidesOf(node: AstNode): readonly [AstNode, AstNode] | undefined {
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  if (node.class !== 'COMPARISON' || left === undefined || right === undefined) return undefined;
  return COMPARISONS.test(String(node.type)) ? [left, right] : undefined;
}

/** How an expression is written, whatever its place: two of the same text are the same value. */
export function writtenAs(value: unknown): string {
  return JSON.stringify(value, (member, inner: unknown) => {
    if (member === 'query_location' || member === 'alias') return undefined;
    return member === 'column_names' && Array.isArray(inner) ? inner.map((name) => fold(String(name))) : inner;
  });
}

/** The name that an entry of a select list has in the result; undefined where DuckDB makes one. */
export const nameOf = (item: AstNode): string | undefined =>
  textOf(item, 'alias') ?? (isColumn(item) ? textsOf(item, 'column_names').at(-1) : undefined);
