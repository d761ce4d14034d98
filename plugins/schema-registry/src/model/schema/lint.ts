import { dialectOf, isSchema, linearPattern, pointerBelow, validatorOf } from '@weir/json-schemas';
import { type Document, documentOf, isNode, keyword, type Node, type Place, parts, partsInPlace } from './places.ts';

/** Why a schema is not taken: where, which rule, and in words. */
export interface SchemaFault {
  pointer: string;
  code: keyof typeof MESSAGES;
  message: string;
}

export const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_PARTS = 10_000;
/** Ways through alternatives and references that a validator may have to take for one value. */
const MAX_WAYS = 100_000;
const MAX_FAULTS = 20;

const MESSAGES = {
  not_a_schema: 'is neither an object nor true or false',
  too_large: `is larger than ${MAX_SCHEMA_BYTES / 1024} KiB`,
  too_deep: `nests more than ${MAX_DEPTH} levels`,
  too_many_parts: `holds more than ${MAX_PARTS} schemas`,
  too_many_ways: `takes more than ${MAX_WAYS} steps for one value, through its alternatives and references`,
  dialect_unknown: 'names no dialect that is read: draft-04, -06, -07, 2019-09 or 2020-12',
  schema_invalid: 'is not allowed by the dialect',
  remote_ref: 'leaves the document: put what it names into `$defs`',
  ref_missing: 'names nothing in the document',
  ref_cycle: 'leads back to itself without a member or an item in between',
  dynamic_ref: 'is a dynamic reference: use `$ref`',
  nested_id: 'gives an inner schema an id: remove it, and refer to it by pointer',
  pattern_not_supported:
    'cannot be matched in linear time: no look-around, no back-reference, at most 2,000 characters',
} as const;

const fault = (pointer: string, code: SchemaFault['code'], message: string = MESSAGES[code]): SchemaFault => ({
  pointer,
  code,
  message,
});

/** What keeps a schema from being used; empty when nothing does. Nothing is fetched and no value is tried. */
export function lintSchema(schema: unknown): SchemaFault[] {
  if (!isNode(schema)) return [fault('', 'not_a_schema')];
  if (isDeeper(schema, MAX_DEPTH)) return [fault('', 'too_deep')];
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES) return [fault('', 'too_large')];
  const document = documentOf(schema);
  const places = reachable(document);
  if (places.length > MAX_PARTS) return [fault('', 'too_many_parts')];
  const found = places.flatMap((place) => faultsAt(place, document));
  if (found.length > 0) return found.slice(0, MAX_FAULTS);
  const ways = countWays(document.root, document);
  if (ways !== undefined) return [fault(ways.pointer, ways.code)];
  return metaFaults(schema);
}

/** Every place of a document, those that only a reference reaches too; stops one beyond the limit. */
function reachable(document: Document): Place[] {
  const found = new Map<string, Place>();
  const waiting = [document.root];
  for (let place = waiting.pop(); place !== undefined && found.size <= MAX_PARTS; place = waiting.pop()) {
    if (found.has(place.pointer)) continue;
    found.set(place.pointer, place);
    const target = document.resolve(keyword(place, '$ref'));
    waiting.push(...parts(place), ...(target !== undefined && isNode(target.node) ? [target] : []));
  }
  return [...found.values()];
}

function faultsAt(place: Place, document: Document): SchemaFault[] {
  const { node, pointer } = place;
  if (typeof node === 'boolean') return [];
  const at = (name: string) => pointerBelow(pointer, name);
  const found: SchemaFault[] = [];
  const { $ref, pattern, patternProperties } = node;
  if (typeof $ref === 'string') {
    if (!$ref.startsWith('#')) found.push(fault(at('$ref'), 'remote_ref'));
    else if (!isNode(document.resolve($ref)?.node)) found.push(fault(at('$ref'), 'ref_missing'));
  }
  for (const name of ['$dynamicRef', '$recursiveRef'])
    if (Object.hasOwn(node, name)) found.push(fault(at(name), 'dynamic_ref'));
  for (const name of ['$id', 'id'])
    if (pointer !== '' && typeof node[name] === 'string') found.push(fault(at(name), 'nested_id'));
  if (typeof pattern === 'string' && linearPattern(pattern) === undefined)
    found.push(fault(at('pattern'), 'pattern_not_supported'));
  for (const one of isSchema(patternProperties) ? Object.keys(patternProperties) : [])
    if (linearPattern(one) === undefined)
      found.push(fault(pointerBelow(at('patternProperties'), one), 'pattern_not_supported'));
  return found;
}

/** Counts the schemas that judge one value at its own place: shared references may double with every level. */
function countWays(
  root: Place,
  document: Document,
): { pointer: string; code: 'ref_cycle' | 'too_many_ways' } | undefined {
  const counted = new Map<string, number>();
  const open = new Set<string>();
  const count = (place: Place): number => {
    const known = counted.get(place.pointer);
    if (known !== undefined) return known;
    if (open.has(place.pointer)) throw new WaysFault(place.pointer, 'ref_cycle');
    open.add(place.pointer);
    const target = document.resolve(keyword(place, '$ref'));
    const inner = [...partsInPlace(place), ...(target === undefined ? [] : [target])];
    const sum = 1 + inner.reduce((all, one) => all + count(one), 0);
    if (sum > MAX_WAYS) throw new WaysFault(place.pointer, 'too_many_ways');
    open.delete(place.pointer);
    counted.set(place.pointer, sum);
    return sum;
  };
  try {
    for (const place of reachable({ ...document, root })) count(place);
    return undefined;
  } catch (error) {
    if (error instanceof WaysFault) return error;
    // A chain of references that is longer than the stack.
    if (error instanceof RangeError) return { pointer: '', code: 'too_many_ways' };
    throw error;
  }
}

class WaysFault extends Error {
  readonly pointer: string;
  readonly code: 'ref_cycle' | 'too_many_ways';
  constructor(pointer: string, code: 'ref_cycle' | 'too_many_ways') {
    super(code);
    this.pointer = pointer;
    this.code = code;
  }
}

function metaFaults(schema: Node): SchemaFault[] {
  const dialect = dialectOf(schema);
  if (dialect === undefined) return [fault('/$schema', 'dialect_unknown')];
  const validator = validatorOf(dialect);
  if (validator.validateSchema(schema) === true) return [];
  const errors = validator.errors ?? [];
  const said = errors.map(({ instancePath, message }) => fault(instancePath, 'schema_invalid', message));
  return said.length === 0 ? [fault('', 'schema_invalid')] : said.slice(0, MAX_FAULTS);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
