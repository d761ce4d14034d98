import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import { schemaThreads } from '../src/service/threads.ts';
import { setUp } from './kit.ts';

/** A schema whose references double the ways with each level. */
const doubling = (levels: number) => ({
  ...{ $ref: '#/$defs/l0' },
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => [
      `l${at}`,
      at + 1 === levels ? true : { allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
    ]),
  ),
});
const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });

t.test('hostile schemas → refused by name, and no request leaves the machine', async (t) => {
  const { call } = await setUp(t);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema`;
  const bodies: [name: string, schema: object, fault: string][] = [
    ['remote reference', { properties: { a: { $ref: url } } }, '/schema/properties/a/$ref remote_ref'],
    ['dialect by address', { $schema: url }, '/schema/$schema dialect_unknown'],
    ['inner id', { $defs: { a: { $id: url } } }, '/schema/$defs/a/$id nested_id'],
    ['file', { $ref: 'file:///etc/passwd' }, '/schema/$ref remote_ref'],
    ['missing', { $ref: '#/$defs/none' }, '/schema/$ref ref_missing'],
    ['prototype', { $ref: '#/toString' }, '/schema/$ref ref_missing'],
    ['cycle', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }, '/schema/$defs/a ref_cycle'],
    ['dynamic', { $dynamicRef: '#x' }, '/schema/$dynamicRef dynamic_ref'],
    ['look-ahead', { pattern: '^(?=a)' }, '/schema/pattern pattern_not_supported'],
    [
      'huge pattern',
      { patternProperties: { 'a{3000}': {} } },
      '/schema/patternProperties/a{3000} pattern_not_supported',
    ],
    ['wide', { description: 'x'.repeat(300_000) }, '/schema too_large'],
    ['many ways', doubling(40), '/schema/$defs/l23 too_many_ways'],
    ['no schema', { type: 'strnig' }, '/schema/type schema_invalid'],
  ];
  for (const [name, schema, fault] of bodies) {
    const answer = await call(endpoints.registerSchema, {
      body: { subject: 'hostile', schema: schema as Record<string, unknown> },
    });
    if (answer.ok) t.fail(name);
    else {
      const { code, errors = [] } = answer.problem;
      const [first] = errors as { pointer: string; code: string }[];
      const found = code === 'schema_not_supported' ? `${first?.pointer} ${first?.code}` : code;
      t.match(
        found,
        name === 'deep' ? /malformed_json|too_deep/ : name === 'many ways' ? /too_many_ways/ : fault,
        name,
      );
    }
  }
  t.match(lintSchema(nested(70)), [{ pointer: '', code: 'too_deep' }]);
  t.match(await call(endpoints.listSubjects), { body: { items: [] } });
  t.equal(asked, 0);
  const items = Array.from({ length: 201 }, () => ({ subject: 'a', schema: {} }));
  t.match(await call(endpoints.bulkRegister, { body: { items } }), { problem: { code: 'validation_failed' } });
});

t.test('a catastrophic pattern is tried in linear time, and the loop turns meanwhile', async (t) => {
  const { call } = await setUp(t);
  const schema = { items: { pattern: '^(a+)+$' } };
  const instance = Array.from({ length: 50 }, () => `${'a'.repeat(2_000)}!`);
  const answer = await call(endpoints.validateSchema, { body: { schema, instance } });
  t.match(answer, { body: { valid: false, errors: [{ index: 0, pointer: '/0', keyword: 'pattern' }] } });
});

t.test('work without an end → its thread ends at the deadline, by name, and the next task is done', async (t) => {
  const threads = schemaThreads({ deadlineMs: 300 });
  t.teardown(() => threads.stop());
  const instance = Array.from({ length: 60_000 }, (_, at) => ({ at }));
  const task = { kind: 'check', schema: { uniqueItems: true }, instances: [instance], most: 1 } as const;
  await t.rejects(threads.run(task), { code: 'schema_too_costly' });
  t.strictSame(await schemaThreadsOf(t).run({ kind: 'lint', schema: {} }), {});
});

function schemaThreadsOf(t: { teardown(end: () => unknown): void }) {
  const threads = schemaThreads();
  t.teardown(() => threads.stop());
  return threads;
}
