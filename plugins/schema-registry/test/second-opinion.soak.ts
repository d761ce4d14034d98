import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import t from 'tap';
import { mavenJars } from '../../../test/maven-jars.ts';
import { contain, sideOf } from '../src/model/containment/judge.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import type { Node } from '../src/model/schema/places.ts';
import { pairs, valuesFor } from './made-up-schemas.ts';

const FOLDER = path.join(import.meta.dirname, 'second-opinion');
const [PAIRS, VALUES, SEED] = [2_000, 200, 20_261_128];
const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** What the other checker refuses by the form of a schema, although no value shows it; each pair is tried with 200 values. */
const REFUSED_BY_FORM = new Set([
  ...[
    'COMBINED_TYPE_ALL_OF_SIZE_INCREASED',
    'COMBINED_TYPE_CRITERION_CHANGED',
    'COMBINED_TYPE_CRITERION_NARROWED',
    'COMBINED_TYPE_SUBSCHEMA_NOT_COMPATIBLE',
    'CONDITIONAL_TYPE_ELSE_SCHEMA_COMPATIBLE_FORWARD_NOT_BACKWARD',
    'CONDITIONAL_TYPE_ELSE_SCHEMA_COMPATIBLE_NONE',
  ],
  ...[
    'CONDITIONAL_TYPE_IF_SCHEMA_COMPATIBLE_BACKWARD_NOT_FORWARD',
    'CONDITIONAL_TYPE_IF_SCHEMA_COMPATIBLE_FORWARD_NOT_BACKWARD',
    'CONDITIONAL_TYPE_IF_SCHEMA_COMPATIBLE_NONE',
    'NUMBER_TYPE_MINIMUM_INCREASED',
    'OBJECT_TYPE_ADDITIONAL_PROPERTIES_SCHEMA_CHANGED',
    'OBJECT_TYPE_MIN_PROPERTIES_INCREASED',
  ],
  ...['OBJECT_TYPE_PROPERTY_SCHEMAS_NARROWED', 'SUBSCHEMA_TYPE_CHANGED', 'STRING_TYPE_CONTENT_ENCODING_ADDED'],
]);
/** Our rules of breaks that the other checker passes over; each has a document that shows it. */
const PASSED_OVER = new Set([
  ...['anyOf', 'dependentRequired', 'enum', 'exclusiveMinimum', 'false', 'format'],
  ...['maximum', 'minLength', 'minimum', 'not', 'oneOf', 'pattern'],
  ...['type'],
]);
/** Rules that we leave undecided where the other checker decides. */
const UNDECIDED = new Set([
  ...['anyOf', 'const', 'contains', 'dependentRequired', 'enum', 'exclusiveMaximum'],
  ...['exclusiveMinimum', 'false', 'format', 'if', 'maxLength', 'maxProperties'],
  ...['maximum', 'minItems', 'minLength', 'minimum', 'multipleOf', 'not'],
  ...['oneOf', 'pattern', 'propertyNames', 'required', 'type', 'uniqueItems'],
]);
/** Schemas on which the other checker fails: its library does not take `true` and `false` within alternatives. */
const FAILS = /Value out of sequence/;

/** Pairs by keyword, each compared in both directions. */
const BY_KEYWORD: readonly (readonly [Node, Node])[] = [
  [{ type: 'string' }, {}],
  [
    { type: 'string', minLength: 3 },
    { type: 'string', minLength: 5 },
  ],
  [{ type: 'string', maxLength: 3 }, { type: 'string' }],
  [
    { type: 'string', pattern: '^a' },
    { type: 'string', pattern: '^b' },
  ],
  [{ type: 'string', format: 'date' }, { type: 'string' }],
  [{ type: 'string', contentEncoding: 'base64' }, { type: 'string' }],
  [{ type: 'integer' }, { type: 'number' }],
  [
    { type: 'number', multipleOf: 4 },
    { type: 'number', multipleOf: 2 },
  ],
  [
    { type: 'number', minimum: 1 },
    { type: 'number', exclusiveMinimum: 1 },
  ],
  [
    { type: 'number', maximum: 1 },
    { type: 'number', maximum: 9 },
  ],
  [{ enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }],
  [{ type: 'string', enum: ['a'] }, { type: 'string' }],
  [{ const: 1 }, { const: 2 }],
  [object({ a: { type: 'string' } }), object({ a: { type: 'integer' } })],
  [object({ a: { type: 'string' } }), object({ a: { type: 'string' }, b: { type: 'integer' } })],
  [object({ a: {} }, { additionalProperties: false }), object({ a: {}, b: {} }, { additionalProperties: false })],
  [object({ a: {} }, { required: ['a'] }), object({ a: {} })],
  [object({}, { minProperties: 1 }), object({}, { minProperties: 2 })],
  [object({}, { additionalProperties: { type: 'string' } }), object({}, { additionalProperties: {} })],
  [object({}, { propertyNames: { maxLength: 3 } }), object({}, { propertyNames: { maxLength: 4 } })],
  [object({}, { patternProperties: { '^S': { type: 'string' } } }), object({})],
  [
    { type: 'array', items: { type: 'integer' } },
    { type: 'array', items: { type: 'number' } },
  ],
  [
    { type: 'array', minItems: 1 },
    { type: 'array', minItems: 2 },
  ],
  [{ type: 'array', uniqueItems: true }, { type: 'array' }],
  [
    { type: 'array', contains: { type: 'integer', minimum: 9 } },
    { type: 'array', contains: { type: 'integer', minimum: 1 } },
  ],
  [{ anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
  [{ oneOf: [{ type: 'string' }] }, { oneOf: [{ type: 'string' }, { maxLength: 5 }] }],
  [{ oneOf: [{ type: 'string' }, { maxLength: 5 }] }, { oneOf: [{ maxLength: 5 }, { type: 'string' }] }],
  [{ allOf: [{ type: 'string' }, { maxLength: 5 }] }, { allOf: [{ type: 'string' }] }],
  [{ not: { type: 'string' } }, { not: { type: 'string', maxLength: 5 } }],
];

function object(properties: Record<string, unknown>, more: object = {}): Node {
  return { type: 'object', properties, ...more } as Node;
}

interface Opinion {
  compatible?: boolean;
  differences?: string[];
  failed?: string;
}

/** What the other checker says of each pair. */
async function opinions(asked: readonly (readonly [Node, Node])[]): Promise<Opinion[]> {
  const jars = await mavenJars(path.join(FOLDER, 'second-opinion.pom.xml'));
  const java = spawn('java', ['-cp', path.join(jars, '*'), path.join(FOLDER, 'SecondOpinion.java')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(java, 'close');
  java.stdin.end(asked.map(([before, after]) => `${JSON.stringify({ before, after })}\n`).join(''));
  const lines = (await text(java.stdout)).split('\n').filter((line) => line.startsWith('{'));
  t.equal((await ended)[0], 0);
  return lines.map((line) => JSON.parse(line) as Opinion);
}

/** How a pair differs from the other opinion, as words of the lists above; undefined where both say the same. */
function difference(
  [before, after]: readonly [Node, Node],
  theirs: Opinion,
): { list: string; names: string[] } | undefined {
  const [a, b] = [sideOf(before), sideOf(after)];
  const { outcome, breaks } = contain(a, b, 'strict');
  const rules = [...new Set(breaks.map(({ rule }) => rule))];
  if (theirs.failed !== undefined) return { list: 'fails', names: [theirs.failed] };
  if (outcome === 'compatible') {
    if (theirs.compatible) return undefined;
    for (const value of fc.sample(valuesFor(before, true), { numRuns: VALUES, seed: SEED }))
      if (a.validator.accepts('', value) && !b.validator.accepts('', value))
        t.fail(`refuted by ${JSON.stringify(value)}`);
    return { list: 'refused by form', names: theirs.differences ?? [] };
  }
  if (!theirs.compatible) return undefined;
  return { list: outcome === 'breaking' ? 'passed over' : 'undecided', names: rules };
}

const LISTS: Readonly<Record<string, (name: string) => boolean>> = {
  fails: (name) => FAILS.test(name),
  'refused by form': (name) => REFUSED_BY_FORM.has(name),
  'passed over': (name) => PASSED_OVER.has(name),
  undecided: (name) => UNDECIDED.has(name),
};

t.test(
  'verdicts of the strict policy beside the checker of another registry: the same, or a difference with a name',
  async (t) => {
    const made = fc.sample(pairs, { numRuns: PAIRS, seed: SEED }) as [Node, Node][];
    const turned = BY_KEYWORD.map(([one, other]) => [other, one] as const);
    const asked = [...BY_KEYWORD, ...turned, ...made]
      .filter((pair) => pair.every((schema) => typeof schema === 'object'))
      .map(
        ([one, other]) =>
          [
            { ...(one as object), $schema: DIALECT },
            { ...(other as object), $schema: DIALECT },
          ] as [Node, Node],
      )
      .filter((pair) => pair.every((schema) => lintSchema(schema).length === 0));
    const said = await opinions(asked);
    t.equal(said.length, asked.length);
    const counts: Record<string, number> = { same: 0 };
    for (const [at, pair] of asked.entries()) {
      const found = difference(pair, said[at] ?? {});
      const key = found?.list ?? 'same';
      counts[key] = (counts[key] ?? 0) + 1;
      const known = found === undefined || found.names.every((name) => LISTS[found.list]?.(name));
      if (!known) t.fail(`${key}: ${found.names.join(', ')} of ${JSON.stringify(pair)}`);
    }
    t.comment(`${asked.length} pairs: ${JSON.stringify(counts)}`);
    t.ok((counts.same ?? 0) > asked.length / 2, 'they agree on most');
  },
);
