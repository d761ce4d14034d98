import type { Tenant } from '@weir/kernel';
import { localPath } from '@weir/lakehouse';
import t from 'tap';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { commitTables } from '../src/commit/commit.ts';
import { type CommitRequest, quarantineOf, type TableCommit, type TableRef } from '../src/contract.ts';
import { inputsService } from '../src/read/inputs.ts';
import { sweep } from '../src/sweep/sweep.ts';
import { tablesService } from '../src/table/tables.ts';
import { batch, depsOf, type Lake, lake, losing, SCHEMA } from './kit.ts';
import { remoteLake, requestOf } from './remote-lake.ts';

const WIDER = { properties: { ...SCHEMA.properties, city: { type: 'string' } } };
const ID = 'bronze.acme.orders';

const pointers = (world: Lake) => world.database.peek('select * from catalog.iceberg_tables order by 1, 2, 3');
/** Of one more service of the same process. */
const UNMEASURED = { counter: () => () => undefined, histogram: () => () => undefined };
const unmeasured = <Deps extends { kernel: object }>(deps: Deps): Deps => ({
  ...deps,
  kernel: { ...deps.kernel, metrics: UNMEASURED },
});
const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { entry?: { code: string } }) => error.entry?.code ?? String(error),
  );

/** A commit of rows that is staged, of a table as it was prepared for its commit. */
async function stagedFor(world: Lake, tenant: Tenant, { ref, rows, schema }: Staged) {
  const lease = await world.run(tenant);
  const { producers, tables } = world;
  const producer = { ref, kind: 'source' as const, producerId: tenant.tenantId };
  await world.kernel.db(tenant).transaction((tx) => producers.register(tx, producer));
  const prepared = await tables.prepare(tenant, ref, schema, { at: 'commit' });
  await tables.recordStaged(tenant, lease.runId, [{ ref, location: prepared.dataLocation, isFolder: true }]);
  const files = await world.stageInto(prepared, rows, lease.runId);
  // What is staged is kept as JSON until the whole is committed.
  const table = JSON.parse(JSON.stringify({ ...batch(ref, files), ...prepared.brings })) as TableCommit;
  return { lease, table };
}

type Staged = { ref: TableRef; rows: object[]; schema: object };

t.test(
  'a draft is read as an input and moves nothing; its commit makes the same snapshot, also after a lost race',
  async (t) => {
    const world = await lake(t);
    const acme = await world.tenant('acme');
    const { ref, snapshotId: first } = await world.land(acme, 'orders', [{ id: 1 }]);
    const before = await pointers(world);
    const { lease, table } = await stagedFor(world, acme, { ref, rows: [{ id: 2 }, { id: 3 }], schema: WIDER });
    await t.rejects(world.tables.draft(acme, { ...lease, leaseEpoch: 0, table }), { code: 'lease_lost' });
    const draft = await world.tables.draft(acme, { ...lease, table });
    t.match(draft, { ref, snapshotId: /^\d+$/, rows: '3' });
    t.strictSame(await pointers(world), before);
    const [pin] = await world.inputs.pin(acme, [{ datasetId: ID, draft: draft.metadataLocation, since: first }]);
    t.match(pin, { snapshotId: draft.snapshotId, draftBase: first, rows: '3', change: { kind: 'added', rows: '2' } });
    t.ok(pin?.columns.some(({ name }) => name === 'city'));
    t.match(await world.inputs.pin(acme, [{ datasetId: ID }]), [{ snapshotId: first, rows: '1' }]);
    const reader = await world.run(acme);
    const hold = () =>
      world.kernel.db(acme).transaction((tx) => world.inputs.hold(tx, reader.runId, pin === undefined ? [] : [pin]));
    t.equal(await code(hold()), 'done', 'the table has its base');
    const moved = { ...table, base: first };
    await world.land(acme, 'orders', [{ id: 4 }]);
    t.equal(await code(world.tables.draft(acme, { ...lease, table: moved })), 'base_moved');
    const request = { ...lease, tables: [{ ...table, snapshotId: draft.snapshotId }], checkpoints: [] };
    // The answer of its move is lost, so that it is looked for, and drafted again where it is not there.
    const deps = depsOf(world, losing(world, 3, false) as never);
    const done = await commitTables(deps, acme, request);
    t.strictSame(done.tables, [{ ref, snapshotId: draft.snapshotId }]);
    t.match(await world.inputs.pin(acme, [{ datasetId: ID, since: first }]), [
      { snapshotId: draft.snapshotId, rows: '4', change: { kind: 'added', rows: '3' } },
    ]);
    const other = await stagedFor(world, acme, { ref, rows: [{ id: 5 }], schema: SCHEMA });
    const taken = { ...other.lease, tables: [{ ...other.table, snapshotId: draft.snapshotId }], checkpoints: [] };
    t.equal(await code(world.tables.commit(acme, taken)), 'base_moved', 'no id is given twice');
  },
);

t.test('columns whose ids another commit has given meanwhile → commit_conflict, and nothing moves', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }]);
  const other = { properties: { ...SCHEMA.properties, total: { type: 'number' } } };
  const one = await stagedFor(world, acme, { ref, rows: [{ id: 2 }], schema: WIDER });
  const two = await stagedFor(world, acme, { ref, rows: [{ id: 3 }], schema: other });
  await world.tables.commit(acme, { ...one.lease, tables: [one.table], checkpoints: [] });
  const before = await pointers(world);
  t.equal(await code(world.tables.draft(acme, { ...two.lease, table: two.table })), 'commit_conflict');
  const late = { ...two.lease, tables: [two.table], checkpoints: [], together: true } satisfies CommitRequest;
  t.equal(await code(world.tables.commit(acme, late)), 'commit_conflict');
  t.strictSame(await pointers(world), before);
});

t.test('a table that is not there is drafted and read; what is never committed is swept', async (t) => {
  const world = await lake(t);
  const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
  const ref = world.tables.bronze(acme, 'orders');
  const { lease, table } = await stagedFor(world, acme, { ref, rows: [{ id: 1 }], schema: SCHEMA });
  const draft = await world.tables.draft(acme, { ...lease, table });
  t.strictSame(await pointers(world), []);
  const asked = { datasetId: ID, draft: draft.metadataLocation };
  t.match(await world.inputs.pin(acme, [asked]), [{ snapshotId: draft.snapshotId, draftBase: null, rows: '1' }]);
  t.equal(await code(world.inputs.pin(acme, [{ datasetId: ID }])), 'not_found');
  await world.land(acme, 'elsewhere', [{ id: 7 }]);
  await world.land(other, 'orders', [{ id: 7 }]);
  const [foreign] = await world.inputs.pin(other, [{ datasetId: 'bronze.other.orders' }]);
  for (const [datasetId, place] of [
    ['bronze.acme.elsewhere', draft.metadataLocation],
    [ID, foreign?.metadataLocation ?? ''],
    ['bronze.other.orders', foreign?.metadataLocation ?? ''],
  ] as const)
    t.equal(await code(world.inputs.pin(acme, [{ datasetId, draft: place }])), 'dataset_not_readable');
  t.equal(await code(world.inputs.pin(other, [asked])), 'dataset_not_readable');

  await world.kernel.runs.finish(acme, lease.runId, { status: 'failed' });
  const deps = { ...depsOf(world, (tenant) => world.kernel.db(tenant)), graceHours: 24 };
  const age = `update datasets.staged_file set staged_at = now() - interval '99 hours',
    marked_at = marked_at - interval '99 hours' where tenant_id = $1`;
  for (const _ of ['mark', 'remove']) {
    await world.kernel.db(acme).transaction(({ sql }) => sql(age, [acme.tenantId]));
    await sweep(deps, acme, {});
  }
  const warehouse = folderWarehouse(localPath(`file://${deps.warehouse}`));
  t.strictSame(await warehouseFaults(world.database.peek, warehouse), { unnamed: [], absent: [] });
  t.equal(await deps.io.exists(draft.metadataLocation), false);
});

t.test(
  'one commit of several runs: each table and each checkpoint is of its own, under the lease of the whole',
  async (t) => {
    const world = await lake(t);
    const acme = await world.tenant('acme');
    const whole = await world.run(acme);
    const parts = [];
    for (const name of ['one', 'two']) {
      const ref = world.tables.bronze(acme, name);
      const { lease, table } = await stagedFor(world, acme, { ref, rows: [{ id: 1 }], schema: SCHEMA });
      const { snapshotId } = await world.tables.draft(acme, { ...lease, table });
      parts.push({ ...table, runId: lease.runId, snapshotId });
    }
    const [one] = parts;
    const checkpoints = [
      { key: 'one', state: 1, counters: {}, ...(one && { runId: one.runId }) },
      { key: 'whole', state: 2, counters: {} },
    ];
    const request = { ...whole, tables: parts, checkpoints, together: true } satisfies CommitRequest;
    t.equal(await code(world.tables.commit(acme, { ...request, leaseEpoch: 0 })), 'lease_lost');
    const done = await world.tables.commit(acme, request);
    t.strictSame(
      done.tables.map(({ snapshotId }) => snapshotId),
      parts.map(({ snapshotId }) => snapshotId),
    );
    t.strictSame(await world.tables.commit(acme, request), done, 'a repeat answers the same');
    for (const { ref, runId } of parts) t.match(await world.tables.snapshots(acme, ref, { limit: 2 }), [{ runId }]);
    t.match(await world.tables.checkpoint(acme, 'one'), { runId: one?.runId });
    t.match(await world.tables.checkpoint(acme, 'whole'), { runId: whole.runId });
    t.equal(await world.tables.canPublishTogether(acme), true);
  },
);

t.test(
  'a catalog that moves one table at a time → tables that belong together are refused before anything is read',
  async (t) => {
    const world = await remoteLake(t, { manyTables: false });
    const { tenant, ref, proxy } = world;
    const request = await requestOf(world, [1, 2], [3]);
    const tables = tablesService(unmeasured(world.depsWith()));
    const seen: string[] = [];
    proxy.choose(({ path }) => void seen.push(path));
    t.equal(await tables.canPublishTogether(tenant), false);
    t.equal(await code(tables.commit(tenant, { ...request, together: true })), 'catalog_moves_one_table');
    t.strictSame(
      seen.filter((path) => path.includes('/tables/')),
      [],
    );
    t.strictSame([world.rows(), world.rows(quarantineOf(ref))], [0, 0]);
    const [only] = request.tables;
    const alone = { ...request, tables: only === undefined ? [] : [only], together: true } satisfies CommitRequest;
    t.equal(await code(tables.commit(tenant, alone)), 'done', 'one table needs no others');
    t.equal(world.rows(), 2);
  },
);

t.test('a draft of a table of a remote catalog → read as it is, and committed under its id and its run', async (t) => {
  const world = await remoteLake(t, { manyTables: true });
  const { tenant, ref, server } = world;
  const whole = await world.world.run(tenant);
  const deps = world.depsWith();
  const [tables, inputs] = [tablesService(unmeasured(deps)), inputsService({ ...deps, catalogName: 'weir' })];
  const producer = { ref, kind: 'source' as const, producerId: tenant.tenantId };
  await world.world.kernel.db(tenant).transaction((tx) => world.world.producers.register(tx, producer));
  const { runId, leaseEpoch, tables: [table] = [], checkpoints } = await requestOf(world, [1, 2], []);
  if (table === undefined) return t.fail('nothing was staged');
  const before = server.tables.get(ID)?.metadataLocation;
  const draft = await tables.draft(tenant, { runId, leaseEpoch, table });
  t.equal(server.tables.get(ID)?.metadataLocation, before);
  const [pin] = await inputs.pin(tenant, [{ datasetId: ID, draft: draft.metadataLocation, since: null }]);
  t.match(pin, { snapshotId: draft.snapshotId, draftBase: null, change: { kind: 'added', rows: '2' } });
  const own = { ...table, runId, snapshotId: draft.snapshotId };
  const of = checkpoints.map((one) => ({ ...one, runId }));
  const done = await tables.commit(tenant, { ...whole, tables: [own], checkpoints: of, together: true });
  t.strictSame(done.tables, [{ ref, snapshotId: draft.snapshotId }]);
  t.match(await tables.snapshots(tenant, ref, { limit: 1 }), [{ snapshotId: draft.snapshotId, runId }]);
  t.match(await tables.checkpoint(tenant, 'k'), { runId });
});
