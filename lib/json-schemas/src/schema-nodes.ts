import { pointerSegments } from './json-pointer.ts';
import { linearPatterns, type Matches } from './linear-pattern.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** What a specification (JSON Schema) says of the value at one place: all its nodes that may describe it. */
export interface SchemaNodes {
  root: readonly Schema[];
  /** What declares the member `key` of an object that `nodes` describe; nothing when it is undeclared. */
  member(nodes: readonly Schema[], key: string): Schema[];
  /** What describes the items of an array that `nodes` describe. */
  items(nodes: readonly Schema[]): Schema[];
  /** What describes the members of an object whose names are free. */
  free(nodes: readonly Schema[]): Schema[];
  /** A node with all its alternatives, which all may describe the same value. */
  branches(node: Schema): Schema[];
}

/**
 * Reads a specification as a union over all its branches: `oneOf`, `anyOf`, `allOf`, `if`, `then`, `else`,
 * `dependentSchemas` and references within the document. Which branch a value has chosen is never asked, so a field that
 * any branch declares is declared, and one that any branch calls a credential is one. Pure.
 */
export function schemaNodes(spec: Schema): SchemaNodes {
  const matcherOf = linearPatterns();
  const collect = (node: Schema, found: Set<Schema>): Set<Schema> => {
    if (found.has(node)) return found;
    found.add(node);
    const { oneOf, anyOf, allOf, dependentSchemas } = node;
    const lists = [oneOf, anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const dependent = isSchema(dependentSchemas) ? Object.values(dependentSchemas) : [];
    const nested = [...lists, ...dependent, node.if, node.then, node.else, referred(spec, node.$ref)];
    for (const inner of nested) if (isSchema(inner)) collect(inner, found);
    return found;
  };
  const branches = (node: Schema): Schema[] => [...collect(node, new Set())];
  return {
    root: branches(spec),
    member: (nodes, key) => [...new Set(nodes.flatMap((node) => declarations(node, key, matcherOf)).flatMap(branches))],
    items: (nodes) => [...new Set(nodes.flatMap(itemSchemas).flatMap(branches))],
    free: (nodes) => nodes.flatMap(freeSchemas).flatMap(branches),
    branches,
  };
}

/** Whether a schema node calls its value a credential. */
export function isCredential(node: Schema): boolean {
  const { type } = node;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return (
    node.airbyte_secret === true || node.credential === true || node.format === 'password' || types.includes('password')
  );
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A pattern that cannot be run in linear time declares nothing, so that what it may stand for stays hidden. */
function declarations(node: Schema, key: string, matcherOf: (pattern: string) => Matches | undefined): Schema[] {
  const properties = isSchema(node.properties) ? node.properties : {};
  const own = Object.hasOwn(properties, key) ? [properties[key]] : [];
  const patterns = isSchema(node.patternProperties) ? Object.entries(node.patternProperties) : [];
  const matching = patterns.flatMap(([pattern, schema]) => (matcherOf(pattern)?.(key) ? [schema] : []));
  const found = [...own, ...matching].filter(isSchema);
  if (found.length > 0) return found;
  return isSchema(node.additionalProperties) ? [node.additionalProperties] : [];
}

function freeSchemas({ patternProperties, additionalProperties }: Schema): Schema[] {
  const named = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  return [...named, additionalProperties].filter(isSchema);
}

function itemSchemas({ items, prefixItems, additionalItems }: Schema): Schema[] {
  return [items, prefixItems, additionalItems].flat().filter(isSchema);
}

/** The node that a reference within the document names (`#`, `#/$defs/x`). */
function referred(spec: Schema, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  return pointerSegments(decodeURIComponent(reference.slice(1))).reduce<unknown>(
    (node, segment) =>
      typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[segment] : undefined,
    spec,
  );
}
