import { readdir } from 'node:fs/promises';
import type { FaultPoint } from '@weir/kernel';
import t from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

/** Inputs are held; files are staged; the commit is prepared, about to land, and has landed unrecorded. */
const POINTS: readonly FaultPoint[] = ['T1', 'T2', 'S10', 'S11', 'T3'];

t.test('kill -9 of the worker at every point of a run → one run, one snapshot, its rows once', async (t) => {
  const world = await runWorld(t);
  const { ok, hydrated, materialized, ended, rows, platform, database, folder } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const environment = {
    ...{ ...world.environment, WEIR_FAULTPOINTS: faults.path },
    WEIR_TRANSFORM_LANES_PER_TENANT: String(POINTS.length),
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITIES: String(POINTS.length),
  };
  const worker = await startWorker(t, environment, 'transform');
  const base = await hydrated('base', 'select 7 as v', 'silver.acme.base');
  t.match(await materialized(base), { status: 'succeeded' });
  const tenant = await database.tenant('acme');
  const heldBy = async (runId: string) => {
    const text = 'select 1 from datasets.input_hold where run_id = $1';
    const { rowCount } = await platform.database.db(tenant).transaction((tx) => tx.sql(text, [runId]));
    return rowCount > 0;
  };

  const runs: { point: FaultPoint; runId: string; params: { transform_id: string } }[] = [];
  for (const point of POINTS) {
    const name = point.toLowerCase();
    const more = { materialization: 'append' as const };
    const params = await hydrated(name, 'select v from silver.acme.base', `gold.acme.${name}`, more);
    await faults.arm(point);
    const { run_id: runId } = await ok(endpoints.materializeTransform, { params });
    await faults.held(point);
    runs.push({ point, runId, params });
    t.ok(await heldBy(runId), `${point}: the inputs are held while the run lives`);
  }
  await worker.end('SIGKILL');
  await faults.release(POINTS);
  await startWorker(t, environment, 'transform');
  for (const { point, runId, params } of runs) {
    const run = await ended(runId);
    t.match(run, { status: 'succeeded', reason: 'first', rows: '1', output_snapshot_id: /^\d+$/, attempt: 2 }, point);
    t.strictSame(await rows(run.output), [[7]], `${point}: the rows are there once`);
    const { items } = await ok(endpoints.listRunsOfTransform, { params });
    t.strictSame(
      items.map(({ run_id }) => run_id),
      [runId],
      `${point}: one run`,
    );
    t.notOk(await heldBy(runId), `${point}: nothing is held any more`);
  }
  t.strictSame(
    (await readdir(`${folder}/work/attempts`)).filter((name) => name.startsWith(`${worker.pid}-`)),
    [],
    'no scratch folder of the lost worker is left',
  );
});
