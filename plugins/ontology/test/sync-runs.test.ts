import t, { type Test } from 'tap';
import type { SyncPorts } from '../src/model/sync/run-sync.ts';
import { driftOf, keyBetween } from '../src/service/sync/drift.ts';
import { compacted, syncWorld, VEHICLE, vehicle } from './sync-kit.ts';

const entity = (id: number, label = `n${id}`) => ({ vin: String(id), label });
const all = (...ids: number[]) => Object.fromEntries(ids.map((id) => [String(id), entity(id)]));

/** A backing dataset whose first rows are applied. */
async function applied(t: Test, more: object = {}, rows = [vehicle(1), vehicle(2)]) {
  const world = await syncWorld(t);
  await world.land(rows);
  await world.type('Vehicle');
  const id = await world.backing('fleet', more);
  t.match(await world.sync(id), { status: 'succeeded', mode: 'full', replayReason: 'initial' });
  return { ...world, id };
}

t.test('rows become entities once, and a run that finds nothing new is skipped', async (t) => {
  const { sync, entitiesOf, row, id, land, runOf, world, acme } = await applied(t, {}, [
    vehicle(1),
    vehicle(2),
    vehicle(10),
  ]);
  t.strictSame(await entitiesOf(), all(1, 10, 2));
  const before = await row(id);
  const first = await runOf(before.appliedRunId ?? '');
  t.match(first, {
    counts: { read: 3, upserted: 3, deleted: 0, unchanged: 0, rejected: 0 },
    lineage: { dataset_id: 'bronze.acme.orders', entity_type_code: 'Vehicle' },
  });
  t.equal(before.appliedSyncSpecFingerprint, first.attemptedSyncSpecFingerprint);
  t.equal(before.appliedSnapshotId, first.snapshotId);
  const skipped = await sync(id);
  t.match(skipped, { status: 'skipped', mode: 'skip', replayReason: null, counts: { read: 0, upserted: 0 } });
  t.equal(skipped.appliedSyncSpecFingerprint, first.attemptedSyncSpecFingerprint);
  await land([vehicle(3)]);
  t.match(await sync(id), { status: 'succeeded', mode: 'append', counts: { read: 1, upserted: 1, unchanged: 0 } });
  t.strictSame(await entitiesOf(), all(1, 10, 2, 3));
  const marks = await world.database.peek('select reader, snapshot_id::text as at from datasets.input_mark');
  t.strictSame(marks, [{ reader: `backing-dataset:${id}`, at: (await row(id)).appliedSnapshotId }]);
  t.strictSame(await world.database.peek('select run_id from datasets.input_hold'), [], acme.alias);
});

t.test(
  'rows that went, came or changed → a diff; their entities are deleted, made or written, others are not',
  async (t) => {
    const { sync, entitiesOf, replace, id, peek } = await applied(t, {}, [vehicle(1), vehicle(2), vehicle(3)]);
    await replace([vehicle(2), vehicle(3, 'other'), vehicle(4)]);
    const run = await sync(id);
    t.match(run, { status: 'succeeded', mode: 'diff', counts: { read: 3, upserted: 2, deleted: 1, unchanged: 1 } });
    t.strictSame(await entitiesOf(), { ...all(2, 4), '3': entity(3, 'other') });
    const [unwritten] = await peek("select revision from ontology.entity where entity_key = '2'");
    t.equal(unwritten?.revision, 1);
    await replace([]);
    t.match(await sync(id), { status: 'succeeded', mode: 'diff', counts: { read: 0, deleted: 3 } });
    t.strictSame(await entitiesOf(), {});
    t.strictSame(await peek('select 1 from ontology.claim'), []);
  },
);

t.test('an added key that is claimed already turns the run into a diff', async (t) => {
  const { sync, entitiesOf, land, change, id } = await applied(t, { duplicate_keys: { last_by: 'name' } });
  await land([vehicle(2, 'zz'), vehicle(3)]);
  t.match(await sync(id), { status: 'succeeded', mode: 'diff', counts: { read: 4, upserted: 2, unchanged: 1 } });
  t.strictSame(await entitiesOf(), { ...all(1, 3), '2': entity(2, 'zz') });
  await change(id, { duplicate_keys: 'fail' });
  const failed = await sync(id);
  t.match(failed, { status: 'failed', failure: 'duplicate_keys', mode: 'full', counts: { upserted: 0 } });
  t.not(failed.appliedSyncSpecFingerprint, failed.attemptedSyncSpecFingerprint, 'what was applied before stays so');
  t.strictSame(await entitiesOf(), { ...all(1, 3), '2': entity(2, 'zz') });
});

t.test('another mapping or version → a full replay; the same by force writes nothing', async (t) => {
  const { sync, entitiesOf, change, type, id, peek } = await applied(t);
  const forced = await sync(id, true);
  t.match(forced, { status: 'succeeded', mode: 'full', replayReason: 'forced', effectiveSpecChanged: false });
  t.match(forced.counts, { read: 2, upserted: 0, unchanged: 2 });
  const property_mappings = [
    { column: 'id', property: 'vin' },
    { expression: "upper(name) || '!'", property: 'label' },
  ];
  await change(id, { property_mappings });
  const changed = await sync(id);
  t.match(changed, { mode: 'full', replayReason: 'effective_spec_changed', effectiveSpecChanged: true });
  t.strictSame(await entitiesOf(), { '1': entity(1, 'N1!'), '2': entity(2, 'N2!') });
  await type('Vehicle', { ...VEHICLE, properties: [...VEHICLE.properties, { code: 'more', value_type: 'string' }] }, 2);
  await change(id, { entity_type_version: 2 });
  t.match(await sync(id), { mode: 'full', counts: { upserted: 2 } });
  t.strictSame(await peek('select distinct type_version from ontology.entity'), [{ type_version: 2 }]);
  await change(id, { row_filter: 'id > 1' });
  t.match(await sync(id), { mode: 'full', counts: { read: 1, deleted: 1, unchanged: 1 } });
});

t.test('a run that fails leaves what is applied, and the next run removes what it has sent', async (t) => {
  const { sync, start, attempt, entitiesOf, change, row, id, world, acme } = await applied(t, {
    merge_mode: 'replace',
  });
  const before = await row(id);
  await change(id, { row_filter: 'id = 1', delete_policy: 'never' });
  await change(id, {
    property_mappings: [
      { column: 'id', property: 'vin' },
      { expression: "'B'", property: 'label' },
    ],
  });
  const { runId } = await start(id);
  const stop = attempt(runId, (ports) => ({
    ...ports,
    async assertAccepted() {
      throw new Error('the end');
    },
  }));
  await t.rejects(stop);
  await world.kernel.runs.finish(acme, runId, { status: 'cancelled' });
  t.match(await row(id), { appliedSyncSpecFingerprint: before.appliedSyncSpecFingerprint, dirtyRunId: runId });
  t.match(await entitiesOf(), { '1': { label: 'B' } }, 'a part of B is there');
  await change(id, before.spec);
  t.match(await sync(id), { status: 'succeeded', mode: 'diff', replayReason: 'recover_partial_run' });
  t.strictSame(await entitiesOf(), all(1, 2));
  t.equal((await row(id)).dirtyRunId, null);
});

t.test(
  'rows without a key and keys of several rows → the run fails and nothing is sent, or they are left out',
  async (t) => {
    const { sync, entitiesOf, replace, change, id, lines } = await applied(t);
    await replace([{ name: 'secret-needle' }, vehicle(7, 'secret-needle')]);
    t.match(await sync(id), { status: 'failed', failure: 'null_keys', mode: 'diff', counts: { upserted: 0 } });
    t.strictSame(await entitiesOf(), all(1, 2));
    await change(id, { null_keys: 'skip' });
    t.match(await sync(id), { status: 'succeeded', counts: { read: 2, upserted: 1, deleted: 2 } });
    await replace([vehicle(7, 'a'), vehicle(7, 'b'), vehicle(8)]);
    t.match(await sync(id), { status: 'failed', failure: 'duplicate_keys' });
    await change(id, { duplicate_keys: { last_by: 'name' } });
    t.match(await sync(id), { status: 'succeeded', counts: { read: 3, upserted: 2 } });
    t.strictSame(await entitiesOf(), { '7': entity(7, 'b'), '8': entity(8) });
    t.notMatch(lines.join('\n'), /secret-needle/);
  },
);

t.test('rejected rows beyond the limit → the run fails, what is applied stays, and it is dirty', async (t) => {
  const { sync, entitiesOf, replace, row, id, lines, peek } = await applied(t, {
    property_mappings: [
      { column: 'id', property: 'vin' },
      { expression: "case when id = 9 then repeat('\\', 1) || chr(0) else name end", property: 'label' },
    ],
  });
  const before = await row(id);
  await replace([vehicle(1), vehicle(9), vehicle(3)]);
  const run = await sync(id);
  t.match(run, { status: 'failed', failure: 'rows_rejected', counts: { rejected: 1, deleted: 0 } });
  t.equal(run.appliedSyncSpecFingerprint, before.appliedSyncSpecFingerprint);
  t.match(await row(id), { appliedRunId: before.appliedRunId, dirtyRunId: run.runId });
  t.match(lines.join('\n'), /rows of chunk 0 were rejected: 1 not_storable/);
  t.match(await peek(`select submitted, completed from ontology.bulk_chunk where run_id = '${run.runId}'`), [
    { submitted: 2, completed: 1 },
  ]);
  await replace([vehicle(1), vehicle(3)]);
  t.match(await sync(id), { status: 'succeeded', replayReason: 'recover_partial_run' });
  t.strictSame(await entitiesOf(), all(1, 3));
});

t.test('with delete_policy never entities stay; with a column they go with the rows that say so', async (t) => {
  const { sync, entitiesOf, replace, change, id } = await applied(t, { delete_policy: 'never' });
  await replace([vehicle(3)]);
  t.match(await sync(id), { status: 'succeeded', counts: { deleted: 0 } });
  t.strictSame(await entitiesOf(), all(1, 2, 3));
  await change(id, { delete_policy: { column: 'name' } });
  await replace([vehicle(1, 'true'), vehicle(2, 'no'), vehicle(5, 'true')]);
  t.match(await sync(id), { status: 'succeeded', counts: { deleted: 1 } });
  t.strictSame(await entitiesOf(), { '2': entity(2, 'no'), '3': entity(3) });
});

t.test('a compaction is skipped; a snapshot that is gone is a diff against what is claimed', async (t) => {
  const { sync, start, attempt, land, row, id, world, acme, entitiesOf, replace } = await applied(t);
  for (const id of [3, 4, 5, 6, 7]) await land([vehicle(id)]);
  t.match(await sync(id), { mode: 'append', counts: { upserted: 5 } });
  const before = await row(id);
  const pending = (snapshot: string) =>
    world.kernel.db(acme).transaction((tx) =>
      tx.sql(
        `update ontology.backing_dataset set pending_since = now(), pending_snapshot_id = $2, pending_reason = 'new_snapshot'
         where tenant_id = $1`,
        [acme.tenantId, snapshot],
      ),
    );
  await pending(before.appliedSnapshotId ?? '');
  await compacted(world, acme);
  const { runId } = await start(id);
  await attempt(runId, (ports) => ({
    ...ports,
    async plan() {
      const planned = await ports.plan();
      await pending('77');
      return planned;
    },
  }));
  t.match(await row(id), { pendingSnapshotId: '77' }, 'a commit while the run was open stays pending');
  const skipped = await sync(id);
  t.match(skipped, { status: 'skipped', mode: 'skip', counts: { read: 0, upserted: 0, deleted: 0 } });
  const after = await row(id);
  t.not(after.appliedSnapshotId, before.appliedSnapshotId, 'the same rows in another snapshot');
  t.equal(after.appliedRunId, before.appliedRunId);
  t.match(after, { pendingSince: null, pendingSnapshotId: null, pendingReason: null });
  await replace([vehicle(1), vehicle(2, 'other')]);
  await world.kernel
    .db(acme)
    .transaction((tx) =>
      tx.sql('update ontology.backing_dataset set applied_snapshot_id = 42 where tenant_id = $1', [acme.tenantId]),
    );
  t.match(await sync(id), {
    ...{ status: 'succeeded', mode: 'diff', replayReason: 'snapshot_lineage' },
    counts: { upserted: 1, deleted: 5, unchanged: 1 },
  });
  t.strictSame(await entitiesOf(), { '1': entity(1), '2': entity(2, 'other') });
});

t.test('entities that others changed or removed → read back, they differ from what was brought', async (t) => {
  const { id, row, world, store, call, acme } = await applied(t, {}, [vehicle(1), vehicle(2), vehicle(3)]);
  const drift = async () => driftOf({ kernel: world.kernel, store }, call, await row(id));
  t.strictSame(await drift(), { looked: 3, missing: 0, other: 0 });
  await world.kernel.db(acme).transaction(async (tx) => {
    await tx.sql(`update ontology.entity set row_hash = decode(repeat('00', 32), 'hex') where entity_key = '2'`, []);
    await tx.sql(`delete from ontology.entity where entity_key = '3'`, []);
  });
  t.strictSame(await drift(), { looked: 3, missing: 1, other: 1 });
  t.equal(
    keyBetween('a', 'a', () => 0),
    'a',
  );
  t.equal(
    keyBetween('ab1', 'ab9', (min) => min),
    'ab2',
  );
  t.equal(
    keyBetween('', 'z', (_, max) => max - 1),
    'z',
  );
});

/** Each row becomes a chunk of its own, and something happens once so many of them were taken. */
const inChunks =
  (taken: { count: number }, at: number, happens: () => Promise<unknown> | unknown) =>
  (ports: SyncPorts): SyncPorts => ({
    ...ports,
    withMapped: (of, work) =>
      ports.withMapped(of, (mapped) =>
        work({
          ...mapped,
          async *lines() {
            for await (const { line } of mapped.lines()) yield { line, bytes: CHUNK_BYTES };
          },
        }),
      ),
    async takeRange(range, mode) {
      await ports.takeRange(range, mode);
      taken.count += 1;
      if (taken.count === at) await happens();
    },
  });
const CHUNK_BYTES = 9 * 1_048_576;

t.test(
  'a right that is lost in the middle of a run → the next tenth chunk is not sent, and a later run repairs it',
  async (t) => {
    const ids = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
    const { start, attempt, sync, bind, entitiesOf, replace, row, runOf, id, world, acme } = await applied(t);
    await replace(ids.map((one) => vehicle(one)));
    const before = await row(id);
    const namespace = (name: string) =>
      world.kernel
        .db(acme)
        .transaction((tx) =>
          tx.sql('update datasets.producer set namespace = $2 where tenant_id = $1', [acme.tenantId, name]),
        );
    const rights = [
      { code: 'ontology_binding_missing', lose: async () => bind(false), give: async () => bind(true) },
      { code: 'dataset_not_readable', lose: () => namespace('silver.acme'), give: () => namespace('bronze.acme') },
    ];
    for (const { code, lose, give } of rights) {
      const taken = { count: 0 };
      const { runId } = await start(id, true);
      const lost = attempt(runId, inChunks(taken, 7, lose));
      await t.rejects(lost, { code }, code);
      t.equal(taken.count, 10, 'it is asked again before the eleventh');
      await give();
      await world.kernel.runs.finish(acme, runId, { status: 'failed' });
      t.match(await row(id), { appliedRunId: before.appliedRunId, dirtyRunId: runId }, code);
      t.match(await runOf(runId), { counts: { deleted: 0 } }, 'nothing is deleted by half a run');
    }
    t.match(await sync(id), { status: 'succeeded', replayReason: 'recover_partial_run', counts: { deleted: 2 } });
    t.strictSame(await entitiesOf(), all(...ids));
    t.equal((await row(id)).dirtyRunId, null);
  },
);
