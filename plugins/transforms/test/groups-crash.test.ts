import type { FaultPoint } from '@weir/kernel';
import { cancelRun } from '@weir/plugin-runs/contract';
import t from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { startWorker } from '../../../test/worker-process.ts';
import { groupWorld, SUMS } from './group-kit.ts';

/** A step has staged; the commit of all is written, about to land, and has landed unrecorded. */
const POINTS: readonly FaultPoint[] = ['T2', 'S9', 'S11', 'S10'];

t.test('kill -9, or a cancel, at every point of tables that publish together → all of them, or none', async (t) => {
  const world = await groupWorld(t);
  const { run, start, ended, state, holds, land, rows, ok, folder, database } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const environment = {
    ...world.environment,
    WEIR_FAULTPOINTS: faults.path,
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITIES: '4',
  };
  let worker = await startWorker(t, environment, 'transform');
  t.match((await run()).whole, { status: 'succeeded' });
  let id = 10;
  for (const point of POINTS) {
    id += 1;
    await land(`(${id}, ${id}, ${id})`);
    const before = await state();
    await faults.arm(point);
    const runId = await start();
    await faults.held(point);
    if (point !== 'S10') t.strictSame(await state(), before, `${point}: nothing has moved`);
    await worker.end('SIGKILL');
    await faults.release(POINTS);
    worker = await startWorker(t, environment, 'transform');
    const { whole, steps } = await ended(runId);
    t.match(whole, { status: 'succeeded', failure: null }, point);
    for (const step of steps) t.match(step, { status: 'succeeded', output_snapshot_id: /^\d+$/ }, point);
    t.equal((await rows(SUMS)).filter(([key]) => key === id).length, 1, `${point}: its row is there once`);
    t.strictSame(await holds(), [], `${point}: nothing is held any more`);
    await faults.clear();
  }

  await land('(20, 20, 20)');
  for (const point of ['T2', 'S9'] as const) {
    const before = await state();
    await faults.arm(point);
    const runId = await start();
    await faults.held(point);
    t.match(await ok(cancelRun, { params: { id: runId } }), { state: 'cancelling' });
    await faults.release([point]);
    const { whole, statuses } = await ended(runId);
    const isPublished = whole.status === 'succeeded';
    if (!isPublished) t.match(whole, { status: 'cancelled' }, point);
    t.ok(
      statuses.every((status) => status === (isPublished ? 'succeeded' : 'cancelled')),
      `${point}: ${statuses}`,
    );
    t.equal(JSON.stringify(await state()) === JSON.stringify(before), !isPublished, `${point}: all or none`);
    await faults.clear();
  }
  t.strictSame(await holds(), []);
  const left = await warehouseFaults(database.peek, folderWarehouse(`${folder}/warehouse`));
  t.strictSame(left, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
});
