import { listStreams } from '@weir/plugin-sources/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { discoverService } from '../src/service/discover.ts';
import { setUp } from './kit.ts';

const columns = [
  { name: 'id', type: 'long' },
  { name: 'amount', type: 'decimal(18, 2)' },
  { name: 'seen_at', type: 'timestamptz' },
  { name: 'tags', type: 'list<string>' },
  { name: '_run_id', type: 'string' },
  { name: '_file', type: 'string' },
];
/** Three rows as previews show them: long integers and decimals are text. */
const values = [
  ['1', '2', '9007199254740993'],
  ['12.50', null, '-1'],
  ['2026-01-31T10:00:00Z', null, 'never'],
  [['a'], null, null],
  ['r', 'r', 'r'],
  ['f', 'f', 'f'],
];
const asked: string[] = [];
const samples = {
  describe: async () => ({ snapshotId: '1', columns }),
  ask: async (_tenant: unknown, _id: string, { statements }: { statements: readonly { sql: string }[] }) => {
    asked.push(statements[0]?.sql ?? '');
    return { rows: 3, more: true, results: [values] };
  },
};

t.test('drafts', async (t) => {
  const { call, tenant } = await setUp(t, samples);
  const discover = (body: object) => call(endpoints.discoverAndRegister, { body: { subject: 'seen', ...body } });

  await t.test('documents → a draft with the types and members that are always there', async (t) => {
    const sample_documents = [
      { id: 1, name: 'Müller & Söhne', tags: ['a'], place: { city: 'Köln' } },
      { id: 1.5, name: null, tags: [] },
    ];
    const json_schema = {
      ...{ title: 'seen', type: 'object', required: ['id', 'name', 'tags'] },
      properties: {
        id: { type: 'number' },
        name: { type: ['null', 'string'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    };
    t.match(await discover({ sample_documents, dry_run: true }), { status: 200, body: { version: 1, json_schema } });
    t.match(await discover({ sample_documents }), { status: 201, body: { version: 1, status: 'draft', json_schema } });
    t.match(await discover({ sample_documents }), { status: 200, body: { version: 1, status: 'draft' } });
    const body = { subject: 'seen', version: 1, instances: sample_documents };
    t.match(await call(endpoints.validateSchema, { body }), { body: { valid: true, checked: 2 } });
  });

  await t.test('a draft becomes active only if it is compatible with what is in force', async (t) => {
    const change = (version: number) =>
      call(endpoints.changeSchemaVersion, { params: { subject: 'seen', version }, body: { status: 'active' } });
    t.match(await change(1), { body: { status: 'active' } });
    t.match(await discover({ sample_documents: [{ other: 1 }] }), { status: 201, body: { version: 2 } });
    t.match(await change(2), {
      problem: { code: 'incompatible_schema', changes: [{ rule: 'required', counter_example: { value: {} } }] },
    });
    t.match(await call(endpoints.listSubjects), {
      body: { items: [{ subject: 'seen', version: 2, status: 'draft' }] },
    });
  });

  await t.test('a dataset → its columns, without those of the platform', async (t) => {
    const found = await discover({ dataset_id: 'bronze.acme.seen', subject: 'table' });
    t.match(found, {
      status: 201,
      body: {
        json_schema: { properties: { id: { type: 'integer' }, amount: { type: 'number' }, tags: { type: 'array' } } },
      },
    });
    for (const own of ['_run_id', '_file'])
      t.notMatch(found, { body: { json_schema: { properties: { [own]: {} } } } }, own);
  });

  await t.test('the rows of a dataset against a schema → faults by column with their count', async (t) => {
    const schema = {
      properties: { amount: { minimum: 0 }, seen_at: { type: 'string', format: 'date-time' }, id: { type: 'integer' } },
      required: ['amount'],
    };
    const dataset_id = 'bronze.acme.seen';
    t.match(await call(endpoints.validateSchema, { body: { schema, dataset_id } }), {
      body: {
        ...{ valid: false, checked: 3, truncated_rows: true, errors: [] },
        columns: [
          { column: 'amount', keyword: 'required', count: 1, example: null },
          { column: 'amount', keyword: 'minimum', count: 1, example: -1 },
          { column: 'seen_at', keyword: 'format', count: 1, example: 'never' },
        ],
      },
    });
    t.strictSame(asked, ['select c0, c1, c2, c3, c4, c5 from sample order by r']);
    t.match(await call(endpoints.validateSchema, { body: { subject: 'table', dataset_id } }), {
      body: { valid: false, columns: [{ column: 'seen_at', keyword: 'format', count: 1 }] },
    });
  });

  await t.test('a stream → its schema, as the caller sees it', async (t) => {
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    const calls: unknown[] = [];
    const make = (items: object[]) => async (to: unknown, input: unknown) => {
      calls.push([to === listStreams, input]);
      return { status: 200, body: { items } };
    };
    const subjects = { plan: async () => ({ result: 'created', registered: { version: 1, digest: 'd' } }) };
    const service = discoverService({ datasets: {} as never, subjects: subjects as never });
    const acme = await tenant('acme');
    const body = { subject: 'x', source_id: 's', stream: 'orders', dry_run: true };
    t.match(await service(acme, 'ada', body, make([{ schema }])), { answer: { json_schema: schema }, isMade: false });
    t.strictSame(calls, [[true, { params: { source_id: 's' }, query: { name: 'orders' } }]]);
    await t.rejects(service(acme, 'ada', body, make([])), { code: 'not_found' });
  });

  await t.test('two origins, none, or a source without its stream → named', async (t) => {
    const unclear = (...pointers: string[]) => ({
      problem: { code: 'schema_source_unclear', errors: pointers.map((pointer) => ({ pointer, code: 'choose_one' })) },
    });
    t.match(await discover({}), unclear('/dataset_id', '/source_id', '/sample_documents'));
    t.match(
      await discover({ dataset_id: 'a.b.c', sample_documents: [{}] }),
      unclear('/dataset_id', '/sample_documents'),
    );
    t.match(await discover({ source_id: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90' }), unclear('/stream'));
    t.match(await call(endpoints.validateSchema, { body: {} }), unclear('/schema', '/subject', '/full_id'));
    const both = { schema: {}, instance: 1, dataset_id: 'a.b.c' };
    t.match(await call(endpoints.validateSchema, { body: both }), unclear('/instance', '/dataset_id'));
    t.match(await call(endpoints.validateSchema, { body: { schema: { type: 'strnig' } } }), {
      body: { valid: false, errors: [{ index: null, pointer: '/type', keyword: 'schema_invalid' }] },
    });
  });
});
