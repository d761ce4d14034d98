import t from 'tap';
import {
  createScanner,
  createTable,
  findSnapshot,
  type PreparedCommit,
  prepareAppend,
  prepareOverwrite,
  prepareRowDelta,
  prepareSpecUpdate,
  readMetadata,
  type TableMetadata,
  tableFiles,
} from '../src/index.ts';
import { readManifestList } from '../src/manifest/manifest.ts';
import { openLake } from './lake.ts';
import { stagedIn } from './table-model.ts';

t.test('commits', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { io } = lake;
  const start = () => lake.table([{ name: 'p', type: 'int' }]);
  const after = (commit: PreparedCommit) => ({
    io,
    metadata: commit.metadata,
    metadataLocation: commit.newMetadataLocation,
  });
  const names = async (metadata: TableMetadata) =>
    (await createScanner({ io }).files(metadata)).map((one) => one.location).sort();

  t.test('a row delta of another snapshot than the newest is base_moved, and writes nothing', async (t) => {
    const created = await start();
    const old = stagedIn(created.metadata, 0);
    const first = await prepareAppend({ io, ...created, files: [old] });
    const second = await prepareAppend({ ...after(first), files: [stagedIn(created.metadata, 0)] });
    const files = [stagedIn(created.metadata, 0)];
    const delta = { ...after(second), files, removed: [old.location] };
    const before = [];
    for await (const file of io.list(created.metadata.location)) before.push(file.location);
    for (const baseSnapshotId of [undefined, first.snapshotId]) {
      await t.rejects(prepareRowDelta({ ...delta, baseSnapshotId }), { code: 'base_moved' });
    }
    const gone = { ...delta, removed: ['file:///not/there'], baseSnapshotId: second.snapshotId };
    await t.rejects(prepareRowDelta(gone), { code: 'base_moved' });
    const now = [];
    for await (const file of io.list(created.metadata.location)) now.push(file.location);
    t.strictSame(now.sort(), before.sort());
    const done = await prepareRowDelta({ ...delta, baseSnapshotId: second.snapshotId });
    t.match(findSnapshot(done.metadata)?.summary, { operation: 'overwrite', 'total-data-files': '2' });
    t.match(done.requirements[1], { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': second.snapshotId });
  });

  t.test('the operation of a row delta says what it does', async (t) => {
    const created = await start();
    const data = stagedIn(created.metadata, 0);
    const base = await prepareRowDelta({ io, ...created, files: [data], removed: [], baseSnapshotId: undefined });
    const named = { content: 'position_deletes' as const, referenced_data_file: data.location };
    const deletes = stagedIn(created.metadata, 0, named);
    const more = { ...after(base), baseSnapshotId: base.snapshotId };
    const cases = [
      { files: [deletes], removed: [], operation: 'delete' },
      { files: [deletes, stagedIn(created.metadata, 0)], removed: [], operation: 'overwrite' },
      { files: [], removed: [data.location], operation: 'delete' },
    ];
    t.equal(findSnapshot(base.metadata)?.summary.operation, 'append');
    for (const { operation, ...change } of cases) {
      const commit = await prepareRowDelta({ ...more, ...change });
      t.equal(findSnapshot(commit.metadata)?.summary.operation, operation);
    }
    const nothing = await prepareRowDelta({ ...more, files: [], removed: [] });
    t.strictSame(nothing.updates, []);
  });

  t.test('for a REST catalog no metadata file is written, and an empty table is asserted to be empty', async (t) => {
    const created = await start();
    const files = [stagedIn(created.metadata, 0)];
    const commit = await prepareAppend({ io, ...created, files, writeMetadata: false });
    t.equal(commit.newMetadataLocation, created.metadataLocation);
    t.equal(commit.written.length, 2);
    t.notOk(commit.written.some((location) => location.endsWith('.json')));
    t.strictSame(commit.requirements, [
      { type: 'assert-table-uuid', uuid: created.metadata['table-uuid'] },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
    ]);
    t.strictSame(
      commit.updates.map((update) => update.action),
      ['add-snapshot', 'set-snapshot-ref'],
    );
  });

  t.test('a commit takes over the same manifests from a table that it made as from one that it read', async (t) => {
    const partitionBy = [{ column: 'p', transform: 'identity' as const }];
    const created = await createTable({
      io,
      location: `file://${lake.root}/taken-over`,
      columns: [{ name: 'p', type: 'int' }],
      partitionBy,
    });
    const first = await prepareAppend({
      io,
      ...created,
      files: [0, 1].map((part) => stagedIn(created.metadata, part)),
    });
    const read = { ...after(first), metadata: await readMetadata(io, first.newMetadataLocation) };
    t.strictSame(read.metadata, first.metadata);
    const taken = [];
    for (const base of [after(first), after(first), read]) {
      const { metadata } = await prepareAppend({ ...base, files: [stagedIn(base.metadata, 0)] });
      const [, ...rest] = await readManifestList(tableFiles(io, metadata), findSnapshot(metadata)!['manifest-list']!);
      t.equal(rest.length, 1);
      taken.push(rest);
    }
    t.strictSame(taken[0], taken[2]);
    t.strictSame(taken[1], taken[2]);
  });

  t.test('when a file of a commit cannot be written, those that were are removed', async (t) => {
    const created = await start();
    const written: string[] = [];
    const failing = {
      ...io,
      write: async (location: string, bytes: Uint8Array) => {
        if (location.endsWith('.json')) throw new Error('no space');
        written.push(location);
        await io.write(location, bytes);
      },
    };
    const files = [stagedIn(created.metadata, 0)];
    await t.rejects(prepareAppend({ ...created, io: failing, files }), { message: 'no space' });
    t.equal(written.length, 2);
    for (const location of written) t.notOk(await io.exists(location));
  });

  t.test('totals are counted where the snapshot before does not say them', async (t) => {
    const created = await start();
    const first = await prepareAppend({ io, ...created, files: [stagedIn(created.metadata, 0)] });
    const [snapshot] = first.metadata.snapshots;
    const bare = { ...first.metadata, snapshots: [{ ...snapshot!, summary: { operation: 'append' } }] };
    const commit = await prepareAppend({ ...after(first), metadata: bare, files: [stagedIn(bare, 0)] });
    t.match(findSnapshot(commit.metadata)?.summary, {
      'added-records': '7',
      'total-records': '14',
      'total-data-files': '2',
      'total-files-size': '200',
      'total-delete-files': '0',
      'changed-partition-count': '1',
    });
  });

  t.test('partitions are not overwritten while files of another partitioning are there', async (t) => {
    const created = await start();
    const flat = await prepareAppend({ io, ...created, files: [stagedIn(created.metadata, 0)] });
    const partitionBy = [{ column: 'p', transform: 'identity' as const }];
    const divided = await prepareSpecUpdate({ ...after(flat), partitionBy });
    const file = stagedIn(divided.metadata, 1);
    const input = { ...after(divided), files: [file] };
    await t.rejects(prepareOverwrite({ ...input, partitions: [file.partition ?? {}] }), {
      code: 'partitions_unsupported',
    });
    const whole = await prepareOverwrite(input);
    t.strictSame(await names(whole.metadata), [file.location]);
  });
});
