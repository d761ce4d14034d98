import type { FaultPoint } from '@weir/kernel';
import { getTableHealth, maintainTable, previewDataset } from '@weir/plugin-datasets/contract';
import { getRun, listRuns } from '@weir/plugin-runs/contract';
import t from 'tap';
import { runWorld } from '../../plugins/transforms/test/run-kit.ts';
import { faultFolder } from '../crash/fault-folder.ts';
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

t.test(
  'a worker that maintains a table is killed at each step → the rows are the same, and no reader runs again',
  async (t) => {
    const world = await runWorld(t);
    const { ok, hydrated, materialized, database, folder } = world;
    const faults = await faultFolder(`${folder}/faults`);
    const environment = { ...world.environment, WEIR_FAULTPOINTS: faults.path };
    await startWorker(t, world.environment, 'transform');
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
      const run = await until('the end of a maintenance', async () => {
        const found = await ok(getRun, { params: { id: run_id ?? '' } });
        return found.is_terminal ? found : undefined;
      });
      t.equal(run.status, 'succeeded', point);
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
    const kinds = async (query: object) => (await ok(listRuns, { query })).items.map(({ kind }) => kind);
    t.notOk((await kinds({ limit: 500 })).includes('table-maintenance'), 'a list does not show what the platform does');
    t.equal((await kinds({ kind: 'table-maintenance', limit: 500 })).length, POINTS.length);
  },
);
