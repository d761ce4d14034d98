import { isSchema } from '@weir/json-schemas';
import fc from 'fast-check';
import type { Node } from '../src/model/schema/places.ts';

const NAMES = ['a', 'b', 'c', 'x-1'];
const WORDS = ['', 'a', 'b', 'ab', 'abc', 'zz', 'A', '7', 'a1', '2026-01-31'];
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 4 });
const number = fc.oneof(fc.integer({ min: -6, max: 6 }), fc.constantFrom(0.5, 1.5, -2.5));
const atom = fc.oneof(fc.constantFrom(...WORDS), number, fc.boolean(), fc.constant(null));
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 });
const rare = <T>(of: fc.Arbitrary<T>) =>
  fc
    .option(of, { nil: undefined, freq: 6 })
    .chain((value) => (value === undefined ? fc.constant(undefined) : fc.constantFrom(undefined, value)));
/** Only the members that are given. */
const given = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(members).map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

const text = given({
  type: fc.constantFrom('string', ['string', 'null']),
  minLength: some(small),
  maxLength: some(small),
  pattern: rare(fc.constantFrom('^[a-z]*$', '^a', '[0-9]')),
  format: rare(fc.constantFrom('date', 'email')),
});
const numeric = given({
  type: fc.constantFrom('integer', 'number', ['integer', 'null']),
  minimum: some(number),
  maximum: some(number),
  exclusiveMinimum: rare(number),
  exclusiveMaximum: rare(number),
  multipleOf: rare(fc.constantFrom(1, 2, 3, 0.5)),
});
const listed = fc.oneof(
  given({ enum: fc.uniqueArray(atom, { minLength: 1, maxLength: 4, comparator: 'SameValueZero' }) }),
  given({ const: atom }),
  given({ type: fc.constantFrom('boolean', 'null') }),
);
const leaf = fc.oneof(text, numeric, listed, fc.constant({}), fc.constant(true));

const container = (inner: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
  fc.oneof(
    given({
      type: fc.constant('object'),
      properties: some(fc.dictionary(name, inner, { maxKeys: 3 })),
      required: some(fc.uniqueArray(name, { maxLength: 2 })),
      additionalProperties: some(fc.oneof(fc.constant<Node>(false), fc.constant<Node>(true), inner)),
      patternProperties: rare(fc.dictionary(fc.constantFrom('^a', '^x-', 'b$'), inner, { minKeys: 1, maxKeys: 1 })),
      minProperties: rare(small),
      maxProperties: rare(small),
      propertyNames: rare(fc.constantFrom({ pattern: '^[a-c]$' }, { maxLength: 1 })),
      dependentRequired: rare(fc.dictionary(name, fc.uniqueArray(name, { maxLength: 1 }), { maxKeys: 1 })),
    }),
    given({
      type: fc.constant('array'),
      items: some(inner),
      prefixItems: rare(fc.array(inner, { minLength: 1, maxLength: 2 })),
      minItems: some(small),
      maxItems: some(small),
      uniqueItems: rare(fc.boolean()),
      contains: rare(inner),
    }),
    given({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
    given({ oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
    given({ allOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    given({ type: some(fc.constantFrom('string', 'number')), not: inner }),
    given({ if: inner, else: inner }),
  );

/** A schema over the keywords that are compared. */
export const schemas: fc.Arbitrary<Node> = container(
  fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: container(leaf) }),
);

/** A schema, and the same with one part exchanged or left out; or two that have nothing to do with each other. */
export const pairs: fc.Arbitrary<[Node, Node]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(schemas, leaf, fc.nat(), fc.nat())
      .map(([one, other, at, way]) => [one, edited(one, other, at, way)] as [Node, Node]),
  },
  { weight: 1, arbitrary: fc.tuple(schemas, schemas) },
  { weight: 1, arbitrary: fc.tuple(leaf as fc.Arbitrary<Node>, leaf as fc.Arbitrary<Node>) },
);

/** A copy with one of its members, at any depth, left out or taken from the other schema. */
function edited(schema: Node, other: Node, at: number, way: number): Node {
  const places: (string | number)[][] = [];
  const look = (value: unknown, path: (string | number)[]) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, [...path, index]);
    else if (isSchema(value))
      for (const [key, item] of Object.entries(value)) {
        places.push([...path, key]);
        look(item, [...path, key]);
      }
  };
  look(schema, []);
  const copy = structuredClone(schema) as Record<string, unknown>;
  const path = places[at % Math.max(1, places.length)];
  if (path === undefined) return other;
  const holder = path.slice(0, -1).reduce<Record<string, unknown>>((inner, key) => inner[key] as never, copy);
  const last = String(path.at(-1));
  const value = holder[last];
  if (way % 3 === 0) delete holder[last];
  else if (typeof value === 'number') holder[last] = value + (way % 2 === 0 ? 1 : -1);
  else if (isSchema(value) && path.at(-2) === 'properties') holder[last] = other;
  else if (last === 'type') holder[last] = ['string', 'integer', 'number', ['integer', 'string']][way % 4];
  else if (isSchema(other)) Object.assign(holder, path.length === 1 ? other : {});
  return copy as Node;
}

const fresh = fc.constantFrom(...NAMES, 'other');
const leafValue = fc.oneof(atom, fc.constantFrom<unknown>({}, []));

/** Values that are likely to meet a schema; `open`: objects may also have members that it does not declare. */
export function valuesFor(schema: unknown, open: boolean): fc.Arbitrary<unknown> {
  if (!isSchema(schema)) return leafValue;
  const inner = (part: unknown) => valuesFor(part, open);
  const { type, enum: list, const: fixed, properties, items, prefixItems, patternProperties, required } = schema;
  const ways: fc.Arbitrary<unknown>[] = [];
  if (Array.isArray(list)) return fc.constantFrom(...list);
  if (fixed !== undefined) return fc.constant(fixed);
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    if (Array.isArray(schema[key])) ways.push(...(schema[key] as unknown[]).map(inner));
  for (const key of ['if', 'else', 'not']) if (key in schema) ways.push(inner(schema[key]));
  const types = [type ?? ['string', 'number', 'object', 'array', 'null', 'boolean']].flat();
  if (types.includes('string')) ways.push(fc.constantFrom(...WORDS), fc.string({ maxLength: 5 }));
  if (types.includes('number') || types.includes('integer')) ways.push(number, fc.integer({ min: -9, max: 9 }));
  if (types.includes('null')) ways.push(fc.constant(null));
  if (types.includes('boolean')) ways.push(fc.boolean());
  if (types.includes('array')) {
    const item = inner(items);
    const first = Array.isArray(prefixItems) ? prefixItems.map(inner) : [];
    ways.push(
      fc.array(item, { maxLength: 4 }),
      fc.tuple(fc.tuple(...first), fc.array(item, { maxLength: 3 })).map(([one, two]) => [...one, ...two]),
    );
  }
  if (types.includes('object')) {
    const own = isSchema(properties)
      ? Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, inner(part)]))
      : {};
    const needed = Array.isArray(required)
      ? Object.fromEntries(required.map((key) => [key, own[key] ?? leafValue]))
      : {};
    const matched = isSchema(patternProperties)
      ? Object.entries(patternProperties).map(([key, part]) =>
          fc.dictionary(fc.constant({ '^a': 'a9', '^x-': 'x-1', b$: 'b' }[key] ?? 'b'), inner(part), { maxKeys: 1 }),
        )
      : [];
    const more = open
      ? [fc.dictionary(fresh, fc.oneof(leafValue, inner(schema.additionalProperties)), { maxKeys: 2 })]
      : [];
    const members: Record<string, fc.Arbitrary<unknown>> = { ...needed, ...own };
    const named = fc.record(members, { requiredKeys: Object.keys(needed) });
    ways.push(fc.tuple(named, ...matched, ...more).map((parts) => Object.assign({}, ...parts.toReversed())));
  }
  return ways.length === 0 ? leafValue : fc.oneof(...ways);
}
