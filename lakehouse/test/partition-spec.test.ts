import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import {
  assignFieldIds,
  createScanner,
  createTable,
  currentSchema,
  nextPartitionSpec,
  type PartitionBy,
  prepareAppend,
  prepareReplace,
  prepareSpecUpdate,
  type StagedFile,
} from '../src/index.ts';
import { partitionSummaries } from '../src/manifest/partition-summary.ts';
import { newPartitionSpec } from '../src/partition/partition-by.ts';
import { partitionSpec, typedPartitionFields } from '../src/partition/partition-type.ts';
import { encodeUnscaled } from '../src/schema/bounds.ts';
import { encodeInteger } from '../src/schema/single-value.ts';
import type { PrimitiveType } from '../src/schema/types.ts';
import { openLake } from './lake.ts';
import { runPython } from './python.ts';

const FIELDS = assignFieldIds([
  { name: 'id', type: 'long' },
  { name: 'ts', type: 'timestamptz' },
  { name: 'name', type: 'string' },
  { name: 'id_bucket_9', type: 'string' },
  { name: 'many', type: { list: 'int' } },
]);
const spec = (...partitionBy: PartitionBy) => newPartitionSpec({ fields: FIELDS, partitionBy, specId: 0 }).fields;

t.test('partition fields are named as Spark and PyIceberg name them, with ids from 1000', async (t) => {
  const made = spec(
    { column: 'id', transform: 'bucket[16]' },
    { column: 'ts', transform: 'day' },
    { column: 'name', transform: 'truncate[4]' },
    { column: 'name', transform: 'identity' },
    { column: 'id', transform: 'void' },
  );
  t.strictSame(
    made.map((field) => [field['field-id'], field['source-id'], field.name]),
    [
      [1000, 1, 'id_bucket_16'],
      [1001, 2, 'ts_day'],
      [1002, 3, 'name_trunc_4'],
      [1003, 3, 'name'],
      [1004, 1, 'id_null'],
    ],
  );
  for (const unit of ['year', 'month', 'hour'] as const) {
    t.equal(spec({ column: 'ts', transform: unit })[0]?.name, `ts_${unit}`);
  }
});

t.test('a partitioning that cannot be is partition_invalid and names the column', async (t) => {
  const refused: PartitionBy[] = [
    [{ column: 'gone', transform: 'identity' }],
    [{ column: 'many', transform: 'identity' }],
    [{ column: 'name', transform: 'day' }],
    [{ column: 'id', transform: 'bucket[9]' }],
    [{ column: 'id', transform: 'bucket[0]' }],
    [
      { column: 'ts', transform: 'day' },
      { column: 'ts', transform: 'month' },
    ],
    [
      { column: 'id', transform: 'identity' },
      { column: 'id', transform: 'identity' },
    ],
  ];
  for (const one of refused) {
    t.throws(() => spec(...one), { code: 'partition_invalid', columns: [one[0]!.column] }, JSON.stringify(one));
  }
});

t.test('summaries leave NaN out of their bounds, and order values as their type does', async (t) => {
  const fields = (type: PrimitiveType) => [
    { 'field-id': 1000, 'source-id': 1, name: 'a', transform: 'identity' as const, type },
  ];
  const double = (value: number) => {
    const raw = Buffer.alloc(8);
    raw.writeDoubleLE(value);
    return raw;
  };
  const [of] = partitionSummaries(
    fields('double'),
    [double(2), double(-3), double(Number.NaN), null].map((value) => ({ 1000: value })),
  );
  t.strictSame(of, { contains_null: true, contains_nan: true, lower_bound: double(-3), upper_bound: double(2) });
  const longs = [encodeInteger('int', 300n), encodeInteger('long', -1n)].map((value) => ({ 1000: value }));
  t.match(partitionSummaries(fields('long'), longs), [
    { lower_bound: longs[1]?.[1000], upper_bound: longs[0]?.[1000] },
  ]);
  t.match(partitionSummaries(fields('string'), [{ 1000: null }]), [{ lower_bound: null, contains_nan: false }]);
});

const raw = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes));
const integer = (type: PrimitiveType, min: bigint, max: bigint) =>
  fc.bigInt({ min, max }).map((value) => encodeInteger(type, value));
const DAY = 86_400_000_000n;
const VALUES: readonly [PrimitiveType, fc.Arbitrary<Buffer>][] = [
  ['boolean', fc.boolean().map((value) => Buffer.from([value ? 1 : 0]))],
  ['int', integer('int', -(2n ** 31n), 2n ** 31n - 1n)],
  ['long', integer('long', -(2n ** 63n), 2n ** 63n - 1n)],
  ['float', fc.float({ noNaN: true }).map((value) => Buffer.from(new Float32Array([value]).buffer))],
  // PyIceberg 0.12's fast Avro decoder reads a double with the digits of a float.
  ['double', fc.float({ noNaN: true }).map((value) => Buffer.from(new Float64Array([value]).buffer))],
  ['date', integer('date', -700_000n, 2_900_000n)],
  ['time', integer('time', 0n, DAY - 1n)],
  ['timestamp', integer('timestamp', -700_000n * DAY, 2_900_000n * DAY)],
  ['timestamptz', integer('timestamptz', -700_000n * DAY, 2_900_000n * DAY)],
  ['string', fc.string({ unit: 'binary' }).map((text) => Buffer.from(text.toWellFormed()))],
  ['uuid', raw(16)],
  ['fixed[3]', raw(3)],
  ['binary', fc.uint8Array().map((bytes) => Buffer.from(bytes))],
  ['decimal(9, 2)', fc.bigInt({ min: -999_999_999n, max: 999_999_999n }).map(encodeUnscaled)],
  ['decimal(38, 10)', fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(encodeUnscaled)],
];

/** What PyIceberg reads of the partitions of all files, in the single-value encoding. */
const LOOK = `
import json, sys
from pyiceberg.conversions import to_bytes
from pyiceberg.table import StaticTable
table = StaticTable.from_metadata(sys.argv[1])
types = [f.field_type for f in table.spec().partition_type(table.schema()).fields]
out = {}
for task in table.scan().plan_files():
  values = [task.file.partition[i] for i in range(len(types))]
  out[task.file.file_path] = [None if v is None else to_bytes(t, v).hex() for t, v in zip(types, values)]
print(json.dumps(out))`;

t.test('partition values of every type come back from a manifest, here and in PyIceberg', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const columns = VALUES.map(([type], at) => ({ name: at % 2 ? `${at} odd näme` : `c${at}`, type }));
  const partitionBy = columns.map(({ name }) => ({ column: name, transform: 'identity' as const }));
  const created = await createTable({ io: lake.io, location: `file://${lake.root}/p`, columns, partitionBy });
  const tuples = fc.tuple(...VALUES.map(([, values]) => fc.option(values)));
  const files = fc.sample(tuples, { numRuns: 40, seed: 11 }).map((values): StagedFile => {
    const partition = values.map((value, at) => [String(1000 + at), value?.toString('base64') ?? null]);
    const none = { column_sizes: {}, value_counts: {}, null_value_counts: {}, lower_bounds: {}, upper_bounds: {} };
    const size = { record_count: '1', file_size_in_bytes: '1' };
    return {
      ...{ ...none, ...size, location: `${created.metadata.location}/data/${randomUUID()}`, spec_id: 0 },
      partition: Object.fromEntries(partition),
    };
  });
  const commit = await prepareAppend({ io: lake.io, ...created, files });
  const wanted = Object.fromEntries(
    files.map(({ location, partition }) => [
      location,
      Object.values(partition ?? {}).map((text) =>
        text === null ? null : Buffer.from(text, 'base64').toString('hex'),
      ),
    ]),
  );
  const live = await createScanner({ io: lake.io }).files(commit.metadata);
  const ours = live.map(({ location, partition }) => [
    location,
    Object.values(partition).map((value) => value?.toString('hex') ?? null),
  ]);
  t.strictSame(Object.fromEntries(ours), wanted);
  t.strictSame(await runPython(LOOK, commit.newMetadataLocation), wanted);
});

t.test('a partitioning changes for new files, and fields that were there keep their ids', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const columns = [
    { name: 'id', type: 'long' as const },
    { name: 'ts', type: 'timestamptz' as const },
  ];
  const day = { column: 'ts', transform: 'day' as const };
  const bucket = { column: 'id', transform: 'bucket[4]' as const };
  let at = await createTable({ io, location: `file://${lake.root}/e`, columns, partitionBy: [day] });
  const ids: (readonly [number, readonly number[]])[] = [];
  for (const partitionBy of [[bucket], [bucket, day], [day], [], [day]]) {
    const commit = await prepareSpecUpdate({ io, ...at, partitionBy });
    at = { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation };
    const now = partitionSpec(at.metadata);
    ids.push([now['spec-id'], now.fields.map((field) => field['field-id'])]);
  }
  t.strictSame(ids, [
    [1, [1001]],
    [2, [1001, 1000]],
    [0, [1000]],
    [3, []],
    [0, [1000]],
  ]);
  t.equal(at.metadata['last-partition-id'], 1001);
  const same = await prepareSpecUpdate({ io, ...at, partitionBy: [day] });
  t.strictSame(same.updates, []);
  t.strictSame(
    typedPartitionFields(at.metadata, partitionSpec(at.metadata, 2)).map((field) => field.type),
    ['int', 'date'],
  );
});

t.test('all rows are written anew under another spec → one commit, and none for a table that moved on', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const columns = [
    { name: 'id', type: 'long' as const },
    { name: 'day', type: 'int' as const },
  ];
  const by = (column: string) => [{ column, transform: 'identity' as const }];
  const created = await createTable({ io, location: `file://${lake.root}/r`, columns, partitionBy: by('day') });
  const { fields } = currentSchema(created.metadata);
  const file = (specId: number, fieldId: number): StagedFile => ({
    ...{ column_sizes: {}, value_counts: {}, null_value_counts: {}, lower_bounds: {}, upper_bounds: {} },
    ...{
      record_count: '1',
      file_size_in_bytes: '1',
      location: `${created.metadata.location}/data/${randomUUID()}`,
      spec_id: specId,
    },
    partition: { [fieldId]: Buffer.from([1, 0, 0, 0, ...(fieldId === 1001 ? [0, 0, 0, 0] : [])]).toString('base64') },
  });
  const first = await prepareAppend({ io, ...created, files: [file(0, 1000)] });
  const at = { io, metadata: first.metadata, metadataLocation: first.newMetadataLocation };
  const planned = nextPartitionSpec(at.metadata, fields, by('id'));
  const files = [file(planned['spec-id'], 1001)];
  const replaced = await prepareReplace({ ...at, files, spec: planned });
  t.match(partitionSpec(replaced.metadata), { 'spec-id': 1, fields: [{ 'field-id': 1001, name: 'id' }] });
  t.equal(replaced.metadata.snapshots.length, 2);
  t.strictSame(Object.values((await runPython(LOOK, replaced.newMetadataLocation)) as object), [['0100000000000000']]);
  const moved = await prepareSpecUpdate({ ...at, partitionBy: [] });
  const onMoved = { io, metadata: moved.metadata, metadataLocation: moved.newMetadataLocation };
  await t.rejects(prepareReplace({ ...onMoved, files, spec: planned }), { code: 'schema_conflict' });
});
