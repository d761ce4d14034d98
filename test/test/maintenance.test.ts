import type { FaultPoint } from '@weir/kernel';
import { getTableHealth, listDatasets, maintainTable, previewDataset } from '@weir/plugin-datasets/contract';
import { getRun, listRuns } from '@weir/plugin-runs/contract';
import { createWebhook, listDeliveries, WEBHOOK_EVENTS } from '@weir/plugin-webhooks/contract';
import t, { type Test } from 'tap';
import { runWorld } from '../../plugins/transforms/test/run-kit.ts';
import { type Received, receiver } from '../../plugins/webhooks/test/kit.ts';
import { faultFolder } from '../crash/fault-folder.ts';
import { keyFile } from '../key-file.ts';
import { sample } from '../lane.ts';
import { until } from '../until.ts';
import { folderWarehouse, warehouseFaults } from '../warehouse-files.ts';
import { startWorker } from '../worker-process.ts';

/** Planned, rewritten, before the swap, as it has landed, and before it is recorded. */
const POINTS: readonly FaultPoint[] = sample('maintenance', ['M2', 'M1', 'M4', 'M3', 'M5'], 2);
const TABLE = 'silver.acme.readings';
const COUNTED = 'gold.acme.counted';
const FILES = 5;
const params = { dataset_id: TABLE };
/** As after three lost races of its rewrites, which take a minute each: 64 bits of a hash name the one partition. */
const LOSE = `update datasets.table_health set next_at = now(),
  lost_races = jsonb_build_object(left(encode(sha256('[0]'), 'hex'), 16), 3)
where table_name = 'readings' returning 1`;

type World = Awaited<ReturnType<typeof runWorld>>;

async function listedWhenAsked(t: Test, { ok }: World): Promise<void> {
  const kinds = async (query: object) => (await ok(listRuns, { query })).items.map(({ kind }) => kind);
  t.notOk((await kinds({ limit: 500 })).includes('table-maintenance'), 'a list does not show what the platform does');
  t.equal((await kinds({ kind: 'table-maintenance', limit: 500 })).length, POINTS.length);
}

/** The table loses races: it is listed as blocked, and of all maintenance a webhook gets that event alone. */
async function losesRaces(
  t: Test,
  { ok, materialized, database }: World,
  { readings, webhook_id, got }: { readings: { transform_id: string }; webhook_id: string; got: readonly Received[] },
): Promise<void> {
  for (let file = 0; file < FILES; file += 1) await materialized(readings, { force: true });
  await database.peek(LOSE);
  await until('the event of a blocked table', () => got.some(({ body }) => body.type === 'table.blocked'));
  const { items } = await ok(listDatasets, { query: { health: 'blocked' } });
  t.match(items, [{ ...params, health: 'blocked', blocked: { why: 'races' } }]);
  await until('no event that waits', async () => {
    const waiting = await ok(listDeliveries, { params: { webhook_id }, query: { status: 'pending' } });
    return waiting.items.length === 0;
  });
  const events = got.map(({ body }) => [body.type, (body.table as { operation?: string } | undefined)?.operation]);
  t.strictSame(
    events.filter(([type, operation]) => type !== 'table.changed' || operation === 'replace'),
    [['table.blocked', undefined]],
    'of maintenance, a webhook gets this alone',
  );
  t.ok(events.length > POINTS.length * FILES, 'and every change of rows');
}

t.test(
  'a worker that maintains a table is killed at each step → the rows are the same, and no reader runs again',
  async (t) => {
    const there = await receiver(t);
    const world = await runWorld(t, {
      ...{ WEIR_CREDENTIAL_KEY_FILE: keyFile(t.testdir()), WEIR_EGRESS_ALLOW: '127.0.0.0/8' },
      WEIR_EGRESS_PORTS: String(there.port),
    });
    const { ok, hydrated, materialized, database, folder } = world;
    const faults = await faultFolder(`${folder}/faults`);
    const environment = { ...world.environment, WEIR_FAULTPOINTS: faults.path };
    await startWorker(t, world.environment, 'transform,general');
    const { webhook_id } = await ok(createWebhook, {
      body: { name: 'chat', url: there.url, events: [...WEBHOOK_EVENTS] },
    });
    let worker = await startWorker(t, environment, 'maintenance');
    const readings = await hydrated('readings', 'select n, n * 2 as twice from range(3) r(n)', TABLE, {
      materialization: 'append',
    });
    const counted = await hydrated('counted', `select n, twice from ${TABLE}`, COUNTED, {
      ...{ materialization: 'append', incremental: TABLE },
    });
    const rows = async (dataset_id: string) =>
      (await ok(previewDataset, { params: { dataset_id }, query: { limit: 500 } })).rows.map(String).toSorted();
    const health = () => ok(getTableHealth, { params });
    const ended = (id: string | null) =>
      until('the end of a maintenance', async () => {
        const found = await ok(getRun, { params: { id: id ?? '' } });
        return found.is_terminal ? found : undefined;
      });
    let rounds = 0;
    for (const point of POINTS) {
      for (let file = 0; file < FILES; file += 1) await materialized(readings, { force: true });
      t.match(await materialized(counted), { status: 'succeeded' }, `${point}: the reader has read`);
      rounds += 1;
      const before = await rows(TABLE);
      await faults.arm(point);
      const { run_id } = await ok(maintainTable, { params, body: {} });
      await faults.held(point);
      await worker.end('SIGKILL');
      await faults.clear();
      worker = await startWorker(t, environment, 'maintenance');
      const run = await ended(run_id);
      t.equal(run.status, 'succeeded', point);
      t.equal(run.attempt, 2, `${point}: the one that was killed, and this one`);
      t.strictSame(await rows(TABLE), before, `${point}: every row is there once`);
      const { receipts, small_files } = await health();
      t.ok(small_files < FILES, `${point}: the small files are gone`);
      t.equal(
        new Set(receipts.filter(({ outcome }) => outcome === 'committed').map((one) => one.snapshot_id)).size,
        rounds,
      );
      for (const one of receipts)
        t.strictSame([one.rows_after, one.checksum_after], [one.rows_before, one.checksum_before]);
      t.match(await materialized(counted), { status: 'skipped' }, `${point}: there is nothing new to read`);
    }
    t.equal((await rows(COUNTED)).length, POINTS.length * FILES * 3, 'each row was read once');
    const left = await warehouseFaults(database.peek, folderWarehouse(`${folder}/warehouse`));
    t.strictSame(left, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
    await listedWhenAsked(t, world);
    await losesRaces(t, world, { readings, webhook_id, got: there.got });
    await database.peek("update datasets.table_health set lost_races = '{}' returning 1");
    const { run_id } = await ok(maintainTable, { params, body: {} });
    t.match(await ended(run_id), { status: 'succeeded', attempt: 1 }, 'nothing was retried');
  },
);
