import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import {
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  localFileIO,
  prepareAppend,
  prepareRowDelta,
  prepareSchemaUpdate,
  type TableSchema,
  withMetaColumns,
} from '../src/index.ts';
import { partitionSpec } from '../src/partition/partition-type.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { line, PATIENT, SHAPE } from './lake.ts';

t.test('a column that another engine added after a merge was prepared keeps its values', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-merge-schema-'));
  const io = localFileIO({ root });
  const stager = await createStager({ io, scratch: join(root, 'scratch') });
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    stager.close();
    await pool.close();
    await rm(root, { recursive: true, force: true });
  });
  const columns = withMetaColumns([{ name: 'id', type: 'long' }]);
  const made = await createTable({ io, location: `file://${root}/table`, columns });
  const prepared = currentSchema(made.metadata);
  let places = 0;
  const folder = () => `${made.metadata.location}/data/${++places}`;
  const staged = async (schema: TableSchema, rows: readonly object[]) => {
    const source = join(root, `${++places}.ndjson`);
    await writeFile(source, rows.map((row) => line(row)).join(''));
    const copied = { source, shape: SHAPE, schema, folder: folder(), runId: 'r', ordered: true, key: [1], position: 0 };
    return (await stager.copy(copied)).files;
  };

  const change = { change: 'add' as const, column: { name: 'note', type: 'string' as const } };
  const wider = await prepareSchemaUpdate({ io, ...made, changes: [change] });
  const files = await staged(currentSchema(wider.metadata), [
    { id: 1, note: 'kept' },
    { id: 2, note: 'replaced' },
  ]);
  const { metadata: before } = wider;
  const theirs = await prepareAppend({ io, metadata: before, metadataLocation: wider.newMetadataLocation, files });
  const { metadata, newMetadataLocation: metadataLocation } = theirs;

  const merged = await stager.merge({
    schema: prepared,
    spec: partitionSpec(metadata),
    key: [1],
    batch: await staged(prepared, [{ id: 2 }]),
    live: await createScanner({ io }).files(metadata),
    table: metadata,
    folder: folder(),
    runId: 'r',
    mode: 'merge',
    strategy: 'copy',
  });
  const baseSnapshotId = metadata['current-snapshot-id'];
  const done = await prepareRowDelta({ io, metadata, metadataLocation, ...merged, baseSnapshotId });
  const schema = currentSchema(done.metadata);
  const live = plannedFiles(await createScanner({ io }).files(done.metadata));
  const { rows } = await pool.preview({ files: live, schema, table: done.metadata, limit: 10 });
  const at = ['id', 'note'].map((name) => schema.fields.findIndex((field) => field.name === name));
  t.strictSame(rows.map((row) => at.map((index) => row[index])).sort(), [
    ['1', 'kept'],
    ['2', null],
  ]);
});
