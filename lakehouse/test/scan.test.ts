import t from 'tap';
import {
  countFiles,
  createScanner,
  type LiveFile,
  planRead,
  prepareAppend,
  type RowPosition,
  type TableMetadata,
} from '../src/index.ts';
import { CONTENT, type DataFile, type ManifestEntry, STATUS } from '../src/manifest/manifest.ts';
import { deleteMatcher } from '../src/manifest/match-deletes.ts';
import { line, openLake } from './lake.ts';
import { liveFile } from './live-file.ts';

const DELETED_PATH_ID = 2147483546;

/** A table whose spec 0 has no fields and whose specs 1 and 2 have a long that was an int. */
const METADATA = {
  'current-schema-id': 0,
  schemas: [{ type: 'struct', 'schema-id': 0, fields: [{ id: 1, name: 'a', required: false, type: 'long' }] }],
  'partition-specs': [0, 1, 2].map((id) => ({
    'spec-id': id,
    fields: id === 0 ? [] : [{ 'source-id': 1, 'field-id': 1000, name: 'a', transform: 'identity' }],
  })),
} as unknown as TableMetadata;

/** A file of a manifest of spec 0 or another, at a sequence number. */
const placed = (sequence: bigint, file: Partial<DataFile>, specId = 0) => {
  const data_file = { content: CONTENT.data, record_count: 1n, file_size_in_bytes: 1n, partition: {}, ...file };
  const entry = { status: STATUS.added, snapshot_id: 1n, sequence_number: sequence, data_file };
  return { entry: entry as unknown as ManifestEntry, specId };
};
const positions = (name: string, more: Partial<DataFile> = {}): Partial<DataFile> => ({
  content: CONTENT.positionDeletes,
  file_path: name,
  ...more,
});
const keys = (name: string, more: Partial<DataFile> = {}): Partial<DataFile> => ({
  content: CONTENT.equalityDeletes,
  file_path: name,
  equality_ids: [1],
  ...more,
});
const between = (lower: string, upper: string): Partial<DataFile> => ({
  lower_bounds: [{ key: DELETED_PATH_ID, value: Buffer.from(lower) }],
  upper_bounds: [{ key: DELETED_PATH_ID, value: Buffer.from(upper) }],
});
/** A partition of specs 1 and 2, as an int or as the long that it became. */
const of = (value: number | bigint | null) => {
  const bytes = typeof value === 'bigint' ? Buffer.alloc(8) : Buffer.alloc(4);
  if (typeof value === 'bigint') bytes.writeBigInt64LE(value);
  else bytes.writeInt32LE(value ?? 0);
  return { partition: { 1000: value === null ? null : bytes } };
};
const data = (sequence: bigint, more: Partial<DataFile> = {}, specId = 0) =>
  placed(sequence, { file_path: 'file:///t/b', ...more }, specId);

t.test('deletes go with the data files that the specification names', async (t) => {
  const matched = (deletes: ReturnType<typeof placed>[], one: ReturnType<typeof placed>) =>
    deleteMatcher(deletes, METADATA)(one).map(({ location }) => location);
  const cases: [string, ReturnType<typeof placed>, ReturnType<typeof placed>, boolean][] = [
    ['position deletes of the same commit', placed(5n, positions('d')), data(5n), true],
    ['position deletes that are older', placed(4n, positions('d')), data(5n), false],
    ['equality deletes of the same commit', placed(5n, keys('d')), data(5n), false],
    ['equality deletes that are newer', placed(6n, keys('d')), data(5n), true],
    ['a named file', placed(5n, positions('d', { referenced_data_file: 'file:/t/b' })), data(5n), true],
    ['another named file', placed(5n, positions('d', { referenced_data_file: 'file:///t/c' })), data(5n), false],
    ['paths around it', placed(5n, positions('d', between('file:///t/a', 'file:///t/c'))), data(5n), true],
    ['paths behind it', placed(5n, positions('d', between('file:///t/ba', 'file:///t/c'))), data(5n), false],
    ['one path in another spelling', placed(5n, positions('d', between('/t/b', '/t/b'))), data(5n, of(1), 1), true],
    ['the same partition', placed(5n, positions('d', of(1)), 1), data(5n, of(1), 1), true],
    ['the partition widened', placed(5n, positions('d', of(-1)), 1), data(5n, of(-1n), 1), true],
    ['another partition', placed(5n, positions('d', of(2)), 1), data(5n, of(1), 1), false],
    ['no partition value', placed(5n, positions('d', of(null)), 1), data(5n, of(0), 1), false],
    ['another spec', placed(5n, positions('d', of(1)), 2), data(5n, of(1), 1), false],
    ['unpartitioned positions', placed(5n, positions('d')), data(5n, of(1), 1), false],
    ['unpartitioned keys', placed(6n, keys('d')), data(5n, of(1), 1), true],
    ['keys of another partition', placed(6n, keys('d', of(2)), 1), data(5n, of(1), 1), false],
  ];
  for (const [name, deletes, file, wanted] of cases) t.strictSame(matched([deletes], file), wanted ? ['d'] : [], name);
});

t.test('a preview reads the fewest files that have enough rows', async (t) => {
  const live = [3n, 0n, 50n, 20n].map((recordCount, index) => liveFile({ location: `f${index}`, recordCount }));
  const plan = (limit: number, after?: RowPosition) =>
    planRead(live, { limit, conditions: [], sorted: false, after }).map(({ file }) => file);
  t.strictSame(
    [1, 50, 51, 70, 1000].map((limit) => plan(limit)),
    [[0], [0], [0, 1], [0, 1], [0, 1, 2]],
  );
  t.strictSame(plan(0), []);
  t.strictSame(plan(1, { file: 0, row: '48' }), [0], 'one row of the first file is left');
  t.strictSame(plan(2, { file: 0, row: '48' }), [0, 1]);
  t.strictSame(plan(20, { file: 0, row: '49' }), [1], 'none is left');
  t.strictSame(plan(1, { file: 9, row: '0' }), []);
  const sorted = (limit: number) => planRead(live, { limit, conditions: [], sorted: true, after: undefined }).length;
  t.equal(sorted(1), 3, 'a sort looks at every file');
});

t.test('rows are counted less those that position deletes name, and marked as an estimate', async (t) => {
  const deletes = (content: 'position_deletes' | 'equality_deletes'): LiveFile['deletes'] => [
    { location: 'd', content, recordCount: 4n, sizeBytes: 1n, sequenceNumber: 2n },
  ];
  const count = (...files: Partial<LiveFile>[]) => countFiles(files.map(liveFile));
  t.strictSame(count({ recordCount: 3n }, { recordCount: 7n }), { rows: 10n, bytes: 2n, exact: true });
  const shared = { recordCount: 5n, deletes: deletes('position_deletes') };
  t.strictSame(count(shared, shared), { rows: 6n, bytes: 2n, exact: false }, 'a file of deletes counts once');
  const byKey = { recordCount: 5n, deletes: deletes('equality_deletes') };
  t.strictSame(count(byKey), { rows: 5n, bytes: 1n, exact: false });
});

t.test('a scanner that is asked again reads nothing again, until its bound makes it forget', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const created = await lake.table([{ name: 'a', type: 'int' }]);
  const { file } = await lake.stage(created.metadata, created.metadata.schemas[0]!, line({ a: 1 }));
  let reads = 0;
  const counting = {
    ...io,
    read: (location: string) => {
      reads++;
      return io.read(location);
    },
  };
  const commit = await prepareAppend({ io, ...created, files: file ? [file] : [] });
  const readTwice = async (scanner: ReturnType<typeof createScanner>): Promise<number> => {
    reads = 0;
    for (let turn = 0; turn < 2; turn++) await scanner.files(await scanner.metadata(commit.newMetadataLocation));
    return reads;
  };
  t.equal(await readTwice(createScanner({ io: counting })), 3);
  t.equal(await readTwice(createScanner({ io: counting, cachedEntries: 0 })), 6);
});
