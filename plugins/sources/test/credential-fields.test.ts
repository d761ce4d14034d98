import type { Schema } from '@weir/json-schemas';
import fc from 'fast-check';
import t from 'tap';
import { credentialFields, fieldPointer, namedCredentials } from '../src/model/config/credential-fields.ts';
import { joinConfig } from '../src/model/config/join-config.ts';
import { walkConfig } from '../src/model/config/walk-config.ts';

const RUNS = 1_000;
const CANARY = 'CNRY';
const KEYS = ['a', 'b', 'c', 'x-1', '0', 'a/b', 'a~b'];

/** Specifications with credentials in every place where one can be declared. */
const specs: fc.Memo<Schema> = fc.memo((depth) => {
  const leaf = fc.oneof(
    fc.constantFrom<Schema>({}, { type: 'string' }, { type: 'integer' }),
    fc.constantFrom<Schema>(
      { airbyte_secret: true },
      { type: 'password' },
      { type: ['null', 'password'] },
      { type: 'string', format: 'password' },
      { credential: true },
    ),
  );
  if (depth <= 1) return leaf;
  const inner = specs(depth - 1);
  const members = fc.dictionary(fc.constantFrom(...KEYS), inner, { maxKeys: 3 });
  return fc.oneof(
    leaf,
    members.map((properties) => ({ properties })),
    inner.map((items) => ({ type: 'array', items })),
    inner.map((one) => ({ patternProperties: { '^x-': one }, additionalProperties: one })),
    fc.array(inner, { maxLength: 2 }).map((oneOf) => ({ oneOf })),
    fc.array(inner, { maxLength: 2 }).map((anyOf) => ({ anyOf, properties: {} })),
    fc.tuple(inner, inner).map(([one, other]) => ({ allOf: [one, { if: other, else: one }] })),
  );
});

const configs = fc.dictionary(
  fc.constantFrom(...KEYS, '__proto__'),
  fc
    .jsonValue({ maxDepth: 4 })
    .chain((value) => fc.constantFrom(value, [{ a: value, b: [value] }], { a: { c: value } })),
  { maxKeys: 4 },
);

t.test('a configuration that is split loses nothing and is joined again exactly', async (t) => {
  fc.assert(
    fc.property(configs, specs(4), fc.subarray(['/a', '/b/*', '/a/c']), (given, spec, named) => {
      const config = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
      const { visible, hidden } = walkConfig(config, spec, named);
      t.strictSame(joinConfig(visible, hidden), config);
    }),
    { numRuns: RUNS },
  );
});

/** A specification, and a configuration that has a value wherever it declares one: canaries where they are credentials. */
function filled(node: Schema, isSecret: boolean, key: string): unknown {
  const secret = isSecret || isDeclared(node);
  const nested = ['oneOf', 'anyOf', 'allOf'].flatMap((word) => (node[word] as Schema[] | undefined) ?? []);
  const [branch] = nested;
  if (branch !== undefined) return filled(branch, secret || nested.some(isDeclared), key);
  if (node.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(node.properties as Record<string, Schema>).map(([name, one]) => [name, filled(one, secret, name)]),
    );
  }
  if (node.items !== undefined)
    return [filled(node.items as Schema, secret, key), filled(node.items as Schema, secret, key)];
  if (node.additionalProperties !== undefined)
    return { 'x-1': filled(node.additionalProperties as Schema, secret, key) };
  return secret ? CANARY : 'plain';
}

function isDeclared(node: Schema): boolean {
  return (
    node.airbyte_secret === true ||
    node.credential === true ||
    node.format === 'password' ||
    `${node.type}`.includes('password')
  );
}

t.test(
  'what stays visible holds no value of a credential, and the fields that are told name all that is hidden',
  async (t) => {
    let canaries = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYS), specs(4), { maxKeys: 4 }), (properties) => {
        const spec = { type: 'object', properties };
        const config = filled(spec, false, '') as Record<string, unknown>;
        canaries += JSON.stringify(config).split(CANARY).length - 1;
        const { visible, credentials } = walkConfig(config, spec);
        t.notOk(JSON.stringify(visible).includes(CANARY));
        const told = credentialFields(spec, []);
        for (const pointer of credentials)
          t.ok(
            told.some((field) => covers(field, pointer)),
            `${pointer} in ${told}`,
          );
      }),
      { numRuns: RUNS },
    );
    t.ok(canaries > RUNS, 'there was something to hide');
  },
);

/** Whether a field with `*` for any one segment names this pointer or something above it. */
function covers(field: string, pointer: string): boolean {
  const segments = pointer.split('/');
  return field.split('/').every((one, k) => one === '*' || one === segments[k]);
}

t.test('credentials are found behind references, in cycles, in tuples and in free members', async (t) => {
  const spec = {
    $defs: { auth: { properties: { secret: { airbyte_secret: true }, next: { $ref: '#/$defs/auth' } } } },
    properties: {
      auth: { $ref: '#/$defs/auth' },
      pair: { type: 'array', prefixItems: [{ properties: { key: { format: 'password' } } }] },
      keys: { type: 'array', items: { airbyte_secret: true } },
      headers: { additionalProperties: { type: 'password' } },
    },
  };
  const told = credentialFields(spec, []);
  for (const field of ['/auth/secret', '/auth/next/secret', '/pair/*/key', '/keys', '/headers/*'])
    t.ok(told.includes(field), field);
  const config = {
    auth: { secret: 1, next: { secret: { deep: 2 } } },
    pair: [{ key: 3 }],
    keys: ['4', '5'],
    headers: { any: '6' },
  };
  const { visible, credentials } = walkConfig(config, spec);
  t.strictSame(visible, { auth: { next: {} }, pair: [{}], headers: {} }, 'a list of credentials goes as a whole');
  t.strictSame(credentials.sort(), ['/auth/next/secret', '/auth/secret', '/headers/any', '/keys', '/pair/0/key']);
});

t.test('a field is named by a pointer or by names with dots', async (t) => {
  t.equal(fieldPointer('/a~1b/c'), '/a~1b/c');
  t.equal(fieldPointer('a.b/c'), '/a/b~1c');
  t.strictSame(
    namedCredentials([
      { path: 'a', type: 'string', credential: true },
      { path: 'b.c', type: 'password' },
      { path: 'd', type: 'string' },
    ]),
    ['/a', '/b/c'],
  );
});
