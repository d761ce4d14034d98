import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  createQueryPool,
  createScanner,
  createStager,
  createTable,
  currentSchema,
  evolveSchema,
  type LoadedTable,
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

/** A table of one column beside those of the platform, and how rows are staged and merged into it. */
async function mergedTable(t: Test) {
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

  /** The rows of the table once a batch is merged and committed. */
  const merged = async (
    { metadata, metadataLocation }: LoadedTable,
    { schema, rows, grown }: { schema: TableSchema; rows: readonly object[]; grown?: TableSchema },
  ) => {
    const { files, removed } = await stager.merge({
      schema,
      spec: partitionSpec(metadata),
      key: [1],
      batch: await staged(schema, rows),
      live: await createScanner({ io }).files(metadata),
      table: metadata,
      folder: folder(),
      runId: 'r',
      mode: 'merge',
      strategy: 'copy',
    });
    const baseSnapshotId = metadata['current-snapshot-id'];
    const base = { io, metadata, metadataLocation, files, removed, baseSnapshotId };
    const done = await prepareRowDelta({ ...base, ...(grown && { schema: grown }) });
    const has = currentSchema(done.metadata);
    const live = plannedFiles(await createScanner({ io }).files(done.metadata));
    const shown = await pool.preview({ files: live, schema: has, table: done.metadata, limit: 10 });
    const at = ['id', 'note'].map((name) => has.fields.findIndex((field) => field.name === name));
    return shown.rows.map((row) => at.map((index) => row[index])).sort();
  };
  return { io, made, prepared, staged, merged };
}

t.test('a column that another engine added after a merge was prepared keeps its values', async (t) => {
  const { io, made, prepared, staged, merged } = await mergedTable(t);
  const change = { change: 'add' as const, column: { name: 'note', type: 'string' as const } };
  const wider = await prepareSchemaUpdate({ io, ...made, changes: [change] });
  const files = await staged(currentSchema(wider.metadata), [
    { id: 1, note: 'kept' },
    { id: 2, note: 'replaced' },
  ]);
  const { metadata: before } = wider;
  const theirs = await prepareAppend({ io, metadata: before, metadataLocation: wider.newMetadataLocation, files });
  const { metadata, newMetadataLocation: metadataLocation } = theirs;
  t.strictSame(await merged({ metadata, metadataLocation }, { schema: prepared, rows: [{ id: 2 }] }), [
    ['1', 'kept'],
    ['2', null],
  ]);
});

t.test('a column that the commit of a merge brings to the table → rows have their values in it', async (t) => {
  const { io, made, prepared, staged, merged } = await mergedTable(t);
  const files = await staged(prepared, [{ id: 1 }, { id: 2 }]);
  const { metadata, newMetadataLocation: metadataLocation } = await prepareAppend({ io, ...made, files });
  const { schema } = evolveSchema(prepared, [{ name: 'note', type: 'string' }]);
  const rows = [
    { id: 2, note: 'changed' },
    { id: 3, note: 'new' },
  ];
  t.strictSame(await merged({ metadata, metadataLocation }, { schema, rows, grown: schema }), [
    ['1', null],
    ['2', 'changed'],
    ['3', 'new'],
  ]);
});
