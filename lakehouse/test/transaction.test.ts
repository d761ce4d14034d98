import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import {
  countFiles,
  createScanner,
  currentSchema,
  evolveSchema,
  findSnapshot,
  localPath,
  outdatedMetadata,
  type PreparedCommit,
  prepareAppend,
  prepareOverwrite,
  prepareReplace,
  readMetadata,
  replacementSchema,
  type StagedFile,
  type TableMetadata,
} from '../src/index.ts';
import { line, openLake } from './lake.ts';

const ROWS_EACH = 7;
/** A staged file that no engine will open. */
const file = (location: string): StagedFile => ({
  location,
  record_count: String(ROWS_EACH),
  file_size_in_bytes: '100',
  column_sizes: {},
  value_counts: {},
  null_value_counts: {},
  lower_bounds: {},
  upper_bounds: {},
});

t.test('commits', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const names = async (metadata: TableMetadata, id?: bigint): Promise<string[]> =>
    (await createScanner({ io }).files(metadata, id)).map((one) => one.location).sort();
  const start = () => lake.table([{ name: 'a', type: 'int' }]);
  const after = (commit: PreparedCommit) => ({
    io,
    metadata: commit.metadata,
    metadataLocation: commit.newMetadataLocation,
  });

  t.test('any sequence of appends and overwrites holds what a list would hold, at every snapshot', async (t) => {
    const step = fc.record({ overwrite: fc.boolean(), count: fc.integer({ min: 0, max: 3 }) });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const created = await start();
      let at = { io, ...created };
      let model: string[] = [];
      const history = new Map<bigint, string[]>();
      for (const [turn, { overwrite, count }] of steps.entries()) {
        const files = Array.from({ length: count }, (_, index) =>
          file(`${created.metadata.location}/data/${turn}-${index}`),
        );
        const commit = await (overwrite ? prepareOverwrite : prepareAppend)({ ...at, files });
        const next = [...(overwrite ? [] : model), ...files.map((one) => one.location)].sort();
        const idle = count === 0 && (!overwrite || model.length === 0);
        t.equal(commit.snapshotId === undefined, idle);
        t.equal(commit.newMetadataLocation === at.metadataLocation, idle);
        model = next;
        at = { ...after(commit) };
        if (commit.snapshotId !== undefined) history.set(commit.snapshotId, model);
        const summary = findSnapshot(at.metadata)?.summary;
        t.equal(summary?.['total-data-files'] ?? '0', String(model.length));
        t.equal(summary?.['total-records'] ?? '0', String(model.length * ROWS_EACH));
      }
      const metadata = await readMetadata(io, at.metadataLocation);
      t.strictSame(metadata, at.metadata);
      t.strictSame(await names(metadata), model);
      for (const [id, expected] of history) t.strictSame(await names(metadata, id), expected);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  t.test('the caller’s keys stand in the summary beside the standard counters', async (t) => {
    const summary = { 'weir.run-id': 'r1', operation: 'forged' };
    const created = await start();
    const commit = await prepareAppend({
      io,
      ...created,
      files: [file(`${created.metadata.location}/data/1`)],
      summary,
    });
    t.match(findSnapshot(commit.metadata), {
      summary: { 'weir.run-id': 'r1', operation: 'append', 'added-records': '7', 'added-data-files': '1' },
      'sequence-number': 1n,
      'schema-id': 0,
    });
    t.ok(commit.snapshotId && commit.snapshotId > 0n && commit.snapshotId < 2n ** 63n);
  });

  t.test('an append with nothing to add makes no snapshot, and writes nothing', async (t) => {
    const created = await start();
    const commit = await prepareAppend({ io, ...created, files: [] });
    t.match(commit, { newMetadataLocation: created.metadataLocation, snapshotId: undefined, written: [] });
  });

  t.test('an empty append with allowEmpty → a snapshot with the same files', async (t) => {
    const created = await start();
    for (const held of [[], [file(`${created.metadata.location}/data/1`)]]) {
      const before = after(await prepareAppend({ io, ...created, files: held }));
      const commit = await prepareAppend({ ...before, files: [], allowEmpty: true });
      t.not(commit.snapshotId, undefined);
      t.strictSame(
        await names(commit.metadata),
        held.map(({ location }) => location),
      );
      t.match(findSnapshot(commit.metadata)?.summary, { operation: 'append', 'total-data-files': `${held.length}` });
    }
  });

  t.test('what a lost commit wrote is named, so that it can be removed', async (t) => {
    const created = await start();
    const folder = join(localPath(created.metadata.location), 'metadata');
    const before = await readdir(folder);
    const commit = await prepareAppend({ io, ...created, files: [file(`${created.metadata.location}/data/1`)] });
    t.equal(commit.written.length, 3);
    for (const location of commit.written) await io.remove(location);
    t.strictSame(await readdir(folder), before);
  });

  t.test('a schema grows in the commit that brings its first rows, or alone', async (t) => {
    const created = await start();
    const wide = evolveSchema(currentSchema(created.metadata), [
      { name: 'a', type: 'long' },
      { name: 'b', type: 'string' },
    ]).schema;
    const alone = await prepareAppend({ io, ...created, files: [], schema: wide });
    t.equal(alone.snapshotId, undefined);
    t.not(alone.newMetadataLocation, created.metadataLocation);
    t.match(alone.metadata, { 'current-schema-id': 1, 'last-column-id': 10 });
    const both = await prepareAppend({
      io,
      ...created,
      files: [file(`${created.metadata.location}/data/1`)],
      schema: wide,
    });
    t.equal(findSnapshot(both.metadata)?.['schema-id'], 1);
    const same = await prepareAppend({ ...after(alone), files: [], schema: wide });
    t.equal(same.newMetadataLocation, alone.newMetadataLocation);
    const stale = { ...wide, fields: wide.fields.filter((field) => field.name !== 'a') };
    await t.rejects(prepareAppend({ ...after(alone), files: [], schema: stale }), {
      code: 'schema_conflict',
      columns: ['a'],
    });
  });

  t.test('a replaced schema → one metadata file, new ids, and old snapshots keep their schema', async (t) => {
    const created = await start();
    let at = after(await prepareAppend({ io, ...created, files: [file(`${created.metadata.location}/data/1`)] }));
    const first = at.metadata;
    const seen = new Set([...currentSchema(first).fields.map(({ id }) => id)]);
    for (const [turn, type] of (['string', 'int', 'boolean', 'int'] as const).entries()) {
      const { schema, changed, kept } = replacementSchema(at.metadata, [{ name: 'a', type }]);
      t.strictSame([changed, kept], [true, []]);
      const id = schema.fields.find(({ name }) => name === 'a')?.id ?? 0;
      t.notOk(seen.has(id), 'an id is never given twice');
      seen.add(id);
      const commit = await prepareReplace({
        ...at,
        files: [file(`${created.metadata.location}/data/r${turn}`)],
        schema,
      });
      t.equal(commit.written.filter((location) => location.endsWith('.metadata.json')).length, 1);
      t.equal(commit.metadata['last-column-id'], id);
      t.strictSame(currentSchema(commit.metadata).fields, schema.fields);
      t.equal(findSnapshot(commit.metadata)?.['schema-id'], schema['schema-id']);
      t.strictSame(await names(commit.metadata), [`${created.metadata.location}/data/r${turn}`]);
      const again = await prepareReplace({
        ...after(commit),
        files: [file(`${created.metadata.location}/data/2`)],
        schema,
      });
      t.equal(again.metadata.schemas.length, commit.metadata.schemas.length, 'the same schema twice is one');
      at = after(commit);
    }
    t.strictSame(await readMetadata(io, at.metadataLocation), at.metadata);
    t.equal(findSnapshot(at.metadata, first['current-snapshot-id'])?.['schema-id'], 0);
    t.strictSame(at.metadata.schemas[0], currentSchema(first));
    const bound = { 'spec-id': 0, fields: [{ 'field-id': 1000, 'source-id': 1, name: 'a', transform: 'identity' }] };
    const divided = { ...first, 'partition-specs': [bound] } as TableMetadata;
    t.match(replacementSchema(divided, [{ name: 'a', type: 'string' }], { others: 'drop' }), {
      schema: { fields: [{ id: 1, name: 'a', type: 'int' }] },
      kept: ['a'],
    });
  });

  t.test('a replacing schema that was planned for another state of the table is schema_conflict', async (t) => {
    const created = await start();
    const { schema } = replacementSchema(created.metadata, [{ name: 'a', type: 'string' }]);
    const wide = evolveSchema(currentSchema(created.metadata), [{ name: 'b', type: 'string' }]).schema;
    const moved = after(await prepareAppend({ io, ...created, files: [], schema: wide }));
    await t.rejects(prepareReplace({ ...moved, files: [], schema }), { code: 'schema_conflict', columns: ['a'] });
    const planned = after(await prepareReplace({ io, ...created, files: [], schema }));
    const back = { ...currentSchema(created.metadata), 'schema-id': 9 };
    await t.rejects(prepareReplace({ ...planned, files: [], schema: back }), { code: 'schema_conflict' });
  });

  t.test('the log of earlier metadata keeps its last 19 entries, and what it drops is outdated', async (t) => {
    const created = await start();
    const log = Array.from({ length: 100 }, (_, index) => ({ 'metadata-file': `m${index}`, 'timestamp-ms': index }));
    const metadata = { ...created.metadata, 'metadata-log': log };
    const commit = await prepareAppend({
      io,
      ...created,
      metadata,
      files: [file(`${created.metadata.location}/data/1`)],
    });
    t.equal(commit.metadata['metadata-log'].length, 19);
    t.equal(commit.metadata['metadata-log'].at(-1)?.['metadata-file'], created.metadataLocation);
    const folder = `${metadata.location}/metadata`;
    const named = log.map((one, at) => ({
      ...one,
      'metadata-file': at === 2 ? 'file:///other/m' : `${folder}/m${at}`,
    }));
    const from = { ...created, metadata: { ...metadata, 'metadata-log': named } };
    const next = await prepareAppend({ io, ...from, files: [file(`${created.metadata.location}/data/1`)] });
    const gone = outdatedMetadata(from, { ...next, metadataLocation: next.newMetadataLocation });
    t.equal(gone.length, 81, 'all but those of the new log, and but the one that lies elsewhere');
    t.ok(gone.every((location) => location.startsWith(folder)));
  });

  t.test('a file that does not say its partition is not put into a partitioned table', async (t) => {
    const created = await start();
    const field = { 'field-id': 1000, 'source-id': 1, name: 'a', transform: 'identity' } as const;
    const specs = [{ 'spec-id': 0, fields: [field] }];
    const partitioned = { ...created.metadata, 'partition-specs': specs };
    const refused = prepareAppend({
      io,
      ...created,
      metadata: partitioned,
      files: [file(`${created.metadata.location}/data/1`)],
    });
    await t.rejects(refused, { code: 'partition_invalid' });
  });

  t.test('a snapshot that is gone is snapshot_missing', async (t) => {
    const { metadata } = await start();
    t.throws(() => findSnapshot(metadata, '12345'), { code: 'snapshot_missing' });
    t.strictSame(await names(metadata), []);
  });

  t.test('rows that were staged are the rows that a snapshot counts', async (t) => {
    const created = await start();
    const staged = await lake.stage(created.metadata, currentSchema(created.metadata), line({ a: 1 }) + line({ a: 2 }));
    const kept = JSON.parse(JSON.stringify(staged.file)) as StagedFile;
    const commit = await prepareAppend({ io, ...created, files: [kept] });
    const files = await createScanner({ io }).files(commit.metadata);
    t.strictSame(countFiles(files).rows, 2n);
    t.equal(findSnapshot(commit.metadata)?.summary['total-files-size'], String(countFiles(files).bytes));
  });
});
