import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { getSource, getStream, startSync, updateStream } from '../src/contract.ts';
import { fieldKind } from '../src/model/stream/field-kind.ts';
import { partitionFaults } from '../src/model/stream/partition-rules.ts';
import { discovered, enableAll, ended, filesSource, ok, refusal, streamsOf } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';
import { sourceMaker } from './stream-source.ts';

t.test('a kind is what the most exact word of a field says', async (t) => {
  const kinds: [unknown, string][] = [
    [{ type: 'integer' }, 'integer'],
    [{ type: ['null', 'number'] }, 'double'],
    [{ type: 'number', airbyte_type: 'big_number' }, 'decimal'],
    [{ type: 'string', weir_type: 'decimal(18, 2)' }, 'decimal'],
    [{ type: 'string', format: 'date-time', airbyte_type: 'time_with_timezone' }, 'text'],
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'string', format: 'email' }, 'text'],
    [{ type: ['object', 'null'] }, 'json'],
    [{ type: ['string', 'array'] }, 'json'],
    [{ oneOf: [{ type: 'string' }] }, 'json'],
    [{ type: ['string', 'integer'] }, 'text'],
    [{}, 'text'],
    [true, 'text'],
  ];
  for (const [field, kind] of kinds) t.equal(fieldKind({ properties: { a: field } }, 'a'), kind, JSON.stringify(field));
});

t.test('a partitioning names columns that are there, with transforms that their types take, each once', async (t) => {
  const schema = {
    properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' }, o: { type: 'object' } },
  };
  const faults = (...asked: [string, string][]) =>
    partitionFaults(
      asked.map(([column, transform]) => ({ column, transform })),
      schema,
    ).map(({ pointer, code }) => `${pointer} ${code}`);
  t.strictSame(faults(['at', 'day'], ['id', 'bucket[16]'], ['id', 'truncate[10]'], ['_extracted_at', 'hour']), []);
  t.strictSame(faults(['gone', 'day']), ['/partition_by/0/column unknown_field']);
  t.strictSame(faults(['toString', 'identity']), ['/partition_by/0/column unknown_field']);
  t.strictSame(faults(['at', 'day'], ['at', 'day']), ['/partition_by/1 repeated']);
  t.strictSame(faults(['id', 'day'], ['o', 'identity']), [
    '/partition_by/0/transform not_for_type',
    '/partition_by/1/transform not_for_type',
  ]);
  const anything = fc.array(fc.record({ column: fc.string(), transform: fc.string() }), { maxLength: 8 });
  fc.assert(fc.property(anything, fc.object(), (asked, any) => partitionFaults(asked, any).length >= 0));
});

t.test('how a stream takes new fields and is partitioned is set, shown, and held to its rules', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const source = await sourceMaker(platform, api);
  const { create, bulk, params } = await source();
  const partition_by = [{ column: 'id', transform: 'bucket[8]' }];

  const plain = ok(await create({}));
  t.match(plain, { schema_change_policy: 'capture', partition_by: null });
  const at = { params: { ...params, stream_id: plain.stream_id } };
  const changed = ok(await api(updateStream, { ...at, body: { schema_change_policy: 'freeze', partition_by } }));
  t.match(changed, { schema_change_policy: 'freeze', partition_by });
  t.strictSame(ok(await api(getStream, at)), changed);
  t.match(ok(await api(updateStream, { ...at, body: { partition_by: null } })), { partition_by: null });
  t.match(ok(await create({ name: 'b', partition_by, schema_change_policy: 'evolve' })), {
    ...{ partition_by, schema_change_policy: 'evolve' },
  });
  const monthly = [{ column: 'id', transform: 'month' }];
  t.equal(refusal(await create({ name: 'c', partition_by: monthly })), '422 stream_not_syncable');
  for (const transform of ['bucket[0]', 'bucket', 'Day', 'void', 'bucket[16', 'truncate[1]]']) {
    const asked = { name: 'c', partition_by: [{ column: 'id', transform }] };
    t.equal(refusal(await create(asked)), '400 validation_failed', transform);
  }
  t.match(await bulk([{ name: 'b', partition_by: monthly }]), {
    problem: { code: 'streams_refused', errors: [{ pointer: '/streams/0/partition_by/0/transform' }] },
  });
  t.equal(ok(await api(getSource, { params })).status, 'ready');
});

t.test('the partitioning of a table that is there stays, whoever asks', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.as('demo');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'orders.csv'), 'id\n1\n2\n');
  const { source_id } = await filesSource(api, 'shop', data);
  t.match(await discovered(api, source_id), { status: 'succeeded' });
  await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  const { run_id } = ok(await api(startSync, { params: { source_id } }));
  t.equal((await ended(api, source_id, run_id)).status, 'succeeded');
  const stream = (await streamsOf(api, source_id)).get('orders');
  const at = { params: { source_id, stream_id: stream?.stream_id ?? '' } };
  const partition_by = [{ column: 'id', transform: 'bucket[4]' }];
  const refused = await api(updateStream, { ...at, body: { partition_by } });
  t.equal(refusal(refused), '409 partitioning_fixed');
  t.match(refused, { problem: { errors: [{ pointer: '/partition_by', code: 'partitioning_fixed' }] } });
  const table = { table: 'shop__orders_by_id' };
  t.match(ok(await api(updateStream, { ...at, body: { partition_by, destination: table } })), {
    ...{ partition_by, destination: table },
  });
  t.match(
    ok(await api(updateStream, { ...at, body: { partition_by } })),
    { partition_by },
    'said again it is no change',
  );
});
