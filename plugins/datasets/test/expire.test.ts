import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { localPath, readMetadata, referencedFiles, toLocation } from '@weir/lakehouse';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { listDatasetSnapshots, previewDataset } from '../src/contract.ts';
import { expiryOf } from '../src/settings.ts';
import { sweep } from '../src/sweep/sweep.ts';
import { batch, depsOf, expireSnapshots, type Lake, lake, losing } from './kit.ts';

const HOURS = 3_600_000;
const RULE = { maxAgeHours: 24, minKept: 2 };
const LATER = () => Date.now() + 48 * HOURS;
const params = { dataset_id: 'bronze.acme.orders' };
const COMMITS = 6;

/** A table that an overwrite empties of its first rows, so that old snapshots have files of their own. */
async function old(t: Parameters<typeof lake>[0]) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 0 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  for (let id = 1; id < COMMITS; id += 1) {
    const files = await world.stage(acme, ref, [{ id }], runId);
    const one = { ...batch(ref, files, id), mode: id === 3 ? ('overwrite' as const) : ('append' as const) };
    await world.tables.commit(acme, { runId, leaseEpoch, tables: [one], checkpoints: [] });
  }
  const { call } = world.as('acme', 'viewer');
  const ids = async () => {
    const answer = await call(listDatasetSnapshots, { params, query: {} });
    return answer.ok ? answer.body.items.map((one) => String(one.snapshot_id_exact ?? one.snapshot_id)) : [];
  };
  const rows = async (snapshot_id?: string) => {
    const query = { columns: 'id', order: 'id', ...(snapshot_id && { snapshot_id }) };
    const answer = await call(previewDataset, { params, query });
    return answer.ok ? answer.body.rows.flat().map(String) : answer.problem.code;
  };
  return { world, acme, ref, ids, rows };
}

/** What is wrong between the table and the files in its folder: needed and absent, or there and needed by nothing. */
async function faults(world: Lake, excused: readonly string[] = []) {
  const { io } = depsOf(world, world.kernel.db as never);
  const [found] = await world.database.peek('select metadata_location from catalog.iceberg_tables');
  const metadataLocation = String(found?.metadata_location);
  const metadata = await readMetadata(io, metadataLocation);
  const needed = await referencedFiles(io, { metadata, metadataLocation });
  const folder = localPath(metadata.location);
  const there = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => toLocation(`${entry.parentPath}/${entry.name}`));
  return {
    absent: [...needed].filter((location) => !existsSync(localPath(location))),
    dangling: there.filter((location) => !needed.has(location) && !excused.includes(location)),
  };
}
const SOUND = { absent: [], dangling: [] };
const listed = (world: Lake) =>
  world.database
    .peek('select location from datasets.staged_file')
    .then((rows) => rows.map((row) => String(row.location)));

t.test('old snapshots → go with their files, and what is kept or held reads as before', async (t) => {
  const { world, acme, ref, ids, rows } = await old(t);
  const all = await ids();
  const before = await Promise.all(all.map((id) => rows(id)));
  const { runId } = await world.run(acme);
  const [pin] = await world.inputs.pin(acme, [{ datasetId: params.dataset_id, snapshotId: all.at(-2) ?? null }]);
  await world.kernel.db(acme).transaction((tx) => world.inputs.hold(tx, runId, pin === undefined ? [] : [pin]));
  const deps = { ...depsOf(world, world.kernel.db as never), expiry: RULE };

  t.equal(await expireSnapshots(deps, acme), 0, 'none is old');
  t.equal(await expireSnapshots({ ...deps, now: LATER, expiry: { ...RULE, maxAgeHours: 0 } }, acme), 0, 'switched off');
  const other = await world.tenant('other');
  t.equal(await expireSnapshots({ ...deps, now: LATER }, other), 0, 'another tenant has none');
  // Kept: the two newest, the overwrite, and the one that the run holds.
  t.equal(await expireSnapshots({ ...deps, now: LATER }, acme), COMMITS - 4);
  const left = await ids();
  t.strictSame(left, [all[0], all[1], all[2], all[4]]);
  for (const [at, id] of all.entries()) t.strictSame(await rows(id), left.includes(id) ? before[at] : 'not_found');
  t.strictSame(await faults(world), SOUND);
  t.strictSame(await listed(world), [], 'the ledger is empty');
  t.match(await world.tables.head(acme, ref), { snapshotId: all[0], replacedBy: String });
  await world.kernel.runs.finish(acme, runId, { status: 'failed' });
  t.equal(await expireSnapshots({ ...deps, now: LATER }, acme), 1, 'the hold has ended');
  t.strictSame(await rows(), before[0]);
  t.strictSame(await faults(world), SOUND);
});

t.test(
  'a snapshot from which a reader reads on → kept for 90 days, or until the reader marks a later one',
  async (t) => {
    const { world, acme, ids } = await old(t);
    const [, ...all] = (await ids()).toReversed();
    const deps = { ...depsOf(world, world.kernel.db as never), expiry: RULE };
    const marked = async (snapshotId: string | undefined) => {
      const pins = await world.inputs.pin(acme, [{ datasetId: params.dataset_id, snapshotId: snapshotId ?? null }]);
      await world.kernel.db(acme).transaction((tx) => world.inputs.mark(tx, 'transform:x', pins));
    };
    const expiredAt = (days: number) => expireSnapshots({ ...deps, now: () => Date.now() + days * 24 * HOURS }, acme);
    await marked(all[1]);
    await marked(all[0]);
    t.equal(await expiredAt(2), COMMITS - 4);
    t.ok((await ids()).includes(all[0] ?? ''), 'marked');
    const since = { datasetId: params.dataset_id, since: all[0] ?? null };
    t.match(await world.inputs.pin(acme, [since]), [{ change: { kind: 'overwritten' } }]);
    t.equal(await expiredAt(91), 1, 'the mark is too old');
    t.match(await world.inputs.pin(acme, [since]), [{ change: { kind: 'expired' } }]);
    await world.land(acme, 'orders', [{ id: 9 }]);
    t.match(await world.inputs.pin(acme, [{ datasetId: params.dataset_id, since: all.at(-1) ?? null }]), [
      { change: { kind: 'added', rows: '1', plan: { files: [{ file: 0 }] } } },
    ]);
  },
);

t.test('WEIR_SNAPSHOT_MAX_AGE_HOURS, WEIR_SNAPSHOT_MIN_KEPT → decide which snapshots expire', async (t) => {
  const { world, acme } = await old(t);
  const deps = { ...depsOf(world, world.kernel.db as never), now: LATER };
  for (const [age, kept, expired] of [
    [0, 1, 0],
    [49, 1, 0],
    [47, COMMITS, 0],
    [47, COMMITS - 1, 1],
  ] as const) {
    const expiry = expiryOf({ WEIR_SNAPSHOT_MAX_AGE_HOURS: age, WEIR_SNAPSHOT_MIN_KEPT: kept });
    t.equal(await expireSnapshots({ ...deps, expiry }, acme), expired, `${age} h, ${kept}`);
  }
});

t.test('an expiry that dies at any step → nothing is lost, and what it leaves is in the ledger', async (t) => {
  for (const step of ['write', 'move', 'moved', 'remove'] as const) {
    const { world, acme, rows } = await old(t);
    const before = await rows();
    const dying = async () => {
      throw new Error('killed');
    };
    // The transactions: the list, the draft, the ledger, the move.
    const db = step === 'move' || step === 'moved' ? losing(world, 4, step === 'moved') : world.kernel.db;
    const real = depsOf(world, db as never);
    const io = { ...real.io, ...(step === 'write' && { write: dying }), ...(step !== 'write' && { remove: dying }) };
    await expireSnapshots({ ...real, io, expiry: RULE, now: LATER }, acme);
    t.strictSame(await faults(world, await listed(world)), SOUND, step);
    t.strictSame(await rows(), before, step);
    const deps = { ...depsOf(world, world.kernel.db as never), graceHours: 24, expiry: RULE };
    for (let pass = 0; pass < 2; pass += 1) {
      await world.kernel.db(acme).transaction(({ sql }) =>
        sql(
          `update datasets.staged_file set staged_at = staged_at - interval '25 hours',
             marked_at = marked_at - interval '25 hours' where tenant_id = $1`,
          [acme.tenantId],
        ),
      );
      await sweep(deps, acme, {});
    }
    t.strictSame([await faults(world), await listed(world)], [SOUND, []], `${step}, then swept`);
    t.strictSame(await rows(), before, step);
  }
});

t.test('a commit that comes between → stands, and the expiry waits', async (t) => {
  const { world, acme, ref, ids } = await old(t);
  const deps = depsOf(world, world.kernel.db as never);
  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, [{ id: 9 }], runId);
  let asked = false;
  const write: typeof deps.io.write = async (location, bytes) => {
    if (!asked) {
      asked = true;
      await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] });
    }
    await deps.io.write(location, bytes);
  };
  t.equal(await expireSnapshots({ ...deps, io: { ...deps.io, write }, expiry: RULE, now: LATER }, acme), 0);
  t.equal((await ids()).length, COMMITS + 1);
  t.strictSame([await faults(world), await listed(world)], [SOUND, []]);
});

t.test('a pin whose snapshot expires before it is held → refused; a hold that comes first → keeps it', async (t) => {
  const { world, acme, ids, rows } = await old(t);
  const deps = { ...depsOf(world, world.kernel.db as never), expiry: RULE, now: LATER };
  const all = await ids();
  const pinned = (snapshotId = '') => world.inputs.pin(acme, [{ datasetId: params.dataset_id, snapshotId }]);
  const holding = async (snapshotId?: string) => {
    const { runId } = await world.run(acme);
    const pins = await pinned(snapshotId);
    return (during: () => Promise<void> = async () => undefined) =>
      world.kernel.db(acme).transaction(async (tx) => {
        await world.inputs.hold(tx, runId, pins);
        await during();
      });
  };
  const [early, late, newest] = [await holding(all.at(-1)), await holding(all.at(-2)), await holding(all[0])];
  let expired: Promise<number> | undefined;
  await early(async () => {
    expired = expireSnapshots(deps, acme);
    await until('the expiry waits for the hold', async () => {
      const text = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      return (await world.database.peek(text)).length > 0;
    });
  });
  t.equal(await expired, 0, 'one of the snapshots is held: all wait for the next sweep');
  t.equal(await expireSnapshots(deps, acme), COMMITS - 4);
  t.match(await late().catch((error) => error), { entry: { code: 'conflict' } });
  await newest();
  t.strictSame(await rows(all.at(-1)), ['0']);
});
