import { isSchema, pointerBelow, pointerSegments, type Schema } from '@weir/json-schemas';

/** A schema at some place of a document; `true` and `false` are schemas too. */
export type Node = Schema | boolean;

/** A schema and the JSON pointer of it in its document. */
export interface Place {
  readonly node: Node;
  readonly pointer: string;
}

/** Keywords that hold schemas, by how they hold them. */
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const SINGLES = [
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'items', 'additionalItems'],
  ...['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'],
];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
/** Those of them that judge the value itself and not a part of it. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

export const isNode = (value: unknown): value is Node => typeof value === 'boolean' || isSchema(value);

/** What a keyword of a place says; undefined where it is absent, and for names that every object inherits. */
export function keyword({ node }: Place, name: string): unknown {
  return typeof node === 'object' && Object.hasOwn(node, name) ? node[name] : undefined;
}

/** The schemas that one keyword holds. */
export function held(place: Place, name: string): (Place & { key: string })[] {
  const value = keyword(place, name);
  const below = pointerBelow(place.pointer, name);
  if (LISTS.includes(name) && Array.isArray(value))
    return value.flatMap((node, at) =>
      isNode(node) ? [{ node, pointer: pointerBelow(below, at), key: String(at) }] : [],
    );
  if (SINGLES.includes(name) && isNode(value)) return [{ node: value, pointer: below, key: '' }];
  if (!MAPS.includes(name) || !isSchema(value)) return [];
  return Object.entries(value).flatMap(([key, node]) =>
    isNode(node) ? [{ node, pointer: pointerBelow(below, key), key }] : [],
  );
}

const ALL = [...new Set([...LISTS, ...SINGLES, ...MAPS])];
/** Every schema that a place holds. */
export const parts = (place: Place): Place[] => ALL.flatMap((name) => held(place, name));
/** Every schema that a place holds for the value itself. */
export const partsInPlace = (place: Place): Place[] => IN_PLACE.flatMap((name) => held(place, name));

/** The places of a document, its references followed. */
export interface Document {
  readonly root: Place;
  /** The place that a reference within the document names. */
  resolve(reference: unknown): Place | undefined;
}

/** Reads references by pointer and by `$anchor`; all others are undefined. Pure. */
export function documentOf(schema: Node): Document {
  const root: Place = { node: schema, pointer: '' };
  let anchors: Map<string, Place> | undefined;
  return {
    root,
    resolve(reference) {
      if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
      const fragment = decoded(reference.slice(1));
      if (fragment === undefined) return undefined;
      if (fragment !== '' && !fragment.startsWith('/')) {
        anchors ??= anchorsOf(root);
        return anchors.get(fragment);
      }
      return pointerSegments(fragment).reduce<Place | undefined>(below, root);
    },
  };
}

function below(place: Place | undefined, segment: string): Place | undefined {
  const node = place?.node as unknown;
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, segment)) return undefined;
  const pointer = pointerBelow(place?.pointer ?? '', segment);
  return { node: (node as Record<string, Node>)[segment] as Node, pointer };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function anchorsOf(root: Place): Map<string, Place> {
  const found = new Map<string, Place>();
  const waiting = [root];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const anchor = keyword(place, '$anchor');
    if (typeof anchor === 'string') found.set(anchor, place);
    waiting.push(...parts(place));
  }
  return found;
}
