import { existsSync } from 'node:fs';
import { localPath, type RemoteCatalog } from '@weir/lakehouse';
import t from 'tap';
import { commitTables } from '../src/commit/commit.ts';
import { type CommitRequest, quarantineOf } from '../src/contract.ts';
import { resumeStream } from '../src/table/resume.ts';
import { filesOf, remoteLake, requestOf } from './remote-lake.ts';

t.test('what a table is ahead by is brought to its end by the next attempt, whole', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const asked = await requestOf(world, [1, 2], [3]);
  const [read] = (await world.stage([1, 2], asked.runId)) as { location: string }[];
  const location = read?.location ?? '';
  await world.world.tables.recordStaged(world.tenant, asked.runId, [{ ref: world.ref, location, isFolder: false }]);
  const staged = (files: readonly object[]) => [...files, { location }];
  const request = {
    ...asked,
    tables: asked.tables.map((one, at) => (at > 0 ? one : { ...one, staged: staged(one.files) })),
  };
  const gone = new Error('the process is gone');
  const stopped: RemoteCatalog = {
    ...(world.depsWith().remote as RemoteCatalog),
    async commitTable(ident, change) {
      if (ident.name.endsWith('__quarantine')) throw gone;
      return (world.depsWith().remote as RemoteCatalog).commitTable(ident, change);
    },
  };
  await t.rejects(commitTables({ ...world.depsWith(), remote: stopped }, world.tenant, request), gone);
  t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 0], 'one of two tables has moved');
  t.equal(await world.world.tables.checkpoint(world.tenant, 'k'), undefined);
  t.ok(existsSync(localPath(location)), 'what its merge has read stays as long as the commit is open');
  const { leaseEpoch } = (await world.world.kernel.runs.begin(world.tenant, request.runId)) ?? { leaseEpoch: 0 };
  const stream = { ref: world.ref, streamId: 's', key: 'k' };
  const lease = { runId: request.runId, leaseEpoch };
  const resumed = await resumeStream(world.depsWith(), world.tenant, { lease, stream });
  const commit = `${request.runId}:s:1`;
  t.match(resumed, { checkpoint: { state: 2 }, follows: { rows: commit, quarantine: commit } });
  t.strictSame([world.rows(), world.rows(quarantineOf(world.ref))], [2, 1]);
  t.notOk(existsSync(localPath(location)), 'and is removed then');
});

t.test('a late move of an earlier attempt → loses, and its commit is forgotten', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const { tenant, ref, depsWith } = world;
  const request = await requestOf(world, [1, 2], [3]);
  const remote = depsWith().remote as RemoteCatalog;
  const late: (() => Promise<unknown>)[] = [];
  const leaving: RemoteCatalog = {
    ...remote,
    loadTable: (ident) =>
      late.length > 0 ? Promise.reject(new Error('the process is gone')) : remote.loadTable(ident),
    async commitTable(ident, change) {
      late.push(() => remote.commitTable(ident, change));
      return 'unknown';
    },
  };
  await t.rejects(commitTables({ ...depsWith(), remote: leaving }, tenant, request), {
    message: 'the process is gone',
  });
  const { runId } = request;
  const { leaseEpoch } = (await world.world.kernel.runs.begin(tenant, runId)) ?? { leaseEpoch: 0 };
  const stream = { ref, streamId: 's', key: 'k' };
  const resumed = await resumeStream(depsWith(), tenant, { lease: { runId, leaseEpoch }, stream });
  t.strictSame(resumed, { checkpoint: undefined, follows: { rows: null, quarantine: null } });
  t.strictSame(await world.world.database.peek('select 1 from datasets.pending_checkpoint'), []);
  t.strictSame(await Promise.all(late.map((move) => move())), ['conflict']);
  t.strictSame([world.rows(), world.rows(quarantineOf(ref))], [0, 0]);
  const again = {
    ...request,
    leaseEpoch,
    tables: request.tables.map((table) => ({ ...table, attempt: leaseEpoch })),
  };
  await commitTables(depsWith(), tenant, again);
  t.strictSame([world.rows(), world.rows(quarantineOf(ref))], [2, 1], 'the attempt commits on top of the fence');
});

t.test('what a replay has left half done is brought to its end once, behind whatever came since', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const lines = quarantineOf(world.ref);
  const { tables } = world.world;
  await commitTables(world.depsWith(), world.tenant, await requestOf(world, [1], [2, 3]));
  const [held] = await filesOf(world, lines);
  const replay = await requestOf(world, [2], [3]);
  const [rows, kept] = replay.tables.map((one) => ({ ...one, streamId: 'replay' }));
  if (rows === undefined || kept === undefined) throw new Error('the request has no tables');
  const delta = { ...kept, mode: 'row_delta' as const, deletes: [held ?? ''] };
  const checkpoints = [{ key: 'replay', state: 'done', counters: {} }];
  const request: CommitRequest = { ...replay, tables: [rows, delta], checkpoints };
  const gone = new Error('the process is gone');
  const remote = world.depsWith().remote as RemoteCatalog;
  const stopped: RemoteCatalog = {
    ...remote,
    commitTable: async (ident, change) =>
      ident.name.endsWith('__quarantine') ? Promise.reject(gone) : remote.commitTable(ident, change),
  };
  await t.rejects(commitTables({ ...world.depsWith(), remote: stopped }, world.tenant, request), gone);
  await commitTables(world.depsWith(), world.tenant, await requestOf(world, [4], [5]));
  t.strictSame([world.rows(), world.rows(lines)], [3, 3], 'the sync has added to both');

  for (const what of ['brought to its end', 'and left alone']) {
    const lease = await world.world.run(world.tenant);
    const stream = { ref: world.ref, streamId: 'replay', key: 'replay' };
    const { checkpoint } = await resumeStream(world.depsWith(), world.tenant, { lease, stream });
    t.match(checkpoint, { state: 'done' }, what);
    t.strictSame([world.rows(), world.rows(lines)], [3, 2], what);
  }
  t.notOk((await filesOf(world, lines)).includes(held ?? ''));
  t.match(await tables.checkpoint(world.tenant, 'k'), { state: 4 });
});

t.test('a delta that names no base swaps files that are there, and brings no deletes of rows', async (t) => {
  const world = await remoteLake(t, { manyTables: false });
  const request = await requestOf(world, [1], []);
  const [table] = request.tables;
  if (table === undefined) throw new Error('the request has no table');
  const delta = (change: object) =>
    commitTables(world.depsWith(), world.tenant, { ...request, tables: [{ ...table, mode: 'row_delta', ...change }] });
  await t.rejects(delta({ deletes: ['file:///not/there'] }), { code: 'base_moved' });
  t.equal(world.rows(), 0);
  const files = table.files.map((file) => ({ ...file, content: 'position_deletes' }));
  await t.rejects(delta({ files }), { code: 'staged_file_refused' });
});
