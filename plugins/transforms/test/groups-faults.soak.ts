import type { FaultPoint } from '@weir/kernel';
import { cancelRun } from '@weir/plugin-runs/contract';
import t, { type Test } from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { sample } from '../../../test/lane.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { groupSteps, groupWorld, rawSql } from './group-kit.ts';

/** Before a step stages and after; before the commit of all lands, as it has landed, and before it is recorded. */
const POINTS: readonly FaultPoint[] = ['T1', 'T2', 'S9', 'S11', 'S10', 'T3'];
const LANDED: readonly FaultPoint[] = ['S10', 'T3'];
const NEVER_LANDS: readonly FaultPoint[] = ['T1', 'T2'];
const STEPS = [1, 2, 3, 4] as const;
const TABLES = ['new', 'there'] as const;

interface Case {
  /** The first step that has work: steps before it have run by themselves. */
  step: (typeof STEPS)[number];
  table: (typeof TABLES)[number];
  end: 'killed' | 'cancelled' | 'failed' | 'timed out';
  /** Where its end comes; undefined of one that comes from the statement. */
  point?: FaultPoint;
}

const ofTables = STEPS.flatMap((step) => TABLES.map((table) => ({ step, table })));
const CASES: readonly Case[] = ofTables.flatMap((place): Case[] => [
  ...POINTS.map((point) => ({ ...place, end: 'killed' as const, point })),
  ...POINTS.map((point) => ({ ...place, end: 'cancelled' as const, point })),
  { ...place, end: 'failed' },
  { ...place, end: 'timed out' },
]);
const FEW = 9;
/** Of a statement, in the worker of these cases; one that never ends has it all. */
const DEADLINE = { WEIR_TRANSFORM_DEADLINE_SECONDS: '20' };
const ENDLESS = 'select count(*) as n from range(90000000000)';

async function faultWorld(t: Test) {
  const world = await groupWorld(t);
  const faults = await faultFolder(`${world.folder}/faults`);
  const environment = { ...world.environment, ...DEADLINE, WEIR_FAULTPOINTS: faults.path };
  const worker = { now: await startWorker(t, environment, 'transform') };
  const kill = async () => {
    await worker.now.end('SIGKILL');
    await faults.clear();
    worker.now = await startWorker(t, environment, 'transform');
  };
  return { ...world, faults, kill };
}
type World = Awaited<ReturnType<typeof faultWorld>>;

/** A chain of its own whose first steps have run, so that the whole begins its work at the step of the case. */
async function chainOf(world: World, { step, table, end }: Case, tag: string) {
  const { materialized, change, ended, ok } = world;
  const chain = await groupSteps(world, tag);
  const { all, raw, outputs } = chain;
  const transform_ids = all.map(({ transform_id }) => transform_id);
  const start = async () =>
    (await ok(endpoints.materializeTransforms, { body: { transform_ids, publish: 'together' } })).run_id;
  if (table === 'there') {
    await ended(await start());
    await change(raw, { sql: rawSql('(3, 2, 30), (4, 1, 1)') });
  }
  if (end === 'failed') await change(raw, { sql: rawSql(`(3, 2, 30), (4, 1, -${step})`) });
  for (const one of all.slice(0, step - 1)) await materialized(one);
  if (end === 'timed out') await change(all[step - 1] as (typeof all)[number], { sql: ENDLESS, ...PLAIN });
  return { outputs, start };
}
/** Of a statement of one column. */
const PLAIN = { materialization: 'full', key: [], partition_by: [], incremental: null };

async function tryCase(t: Test, world: World, one: Case, tag: string): Promise<void> {
  const { ok, faults, kill, ended, state, holds, rows } = world;
  const { end, point } = one;
  const { outputs, start } = await chainOf(world, one, tag);
  const about = JSON.stringify(one);
  const before = await state();
  if (point !== undefined) await faults.arm(point);
  const runId = await start();
  if (point !== undefined) {
    await faults.held(point);
    if (!LANDED.includes(point)) t.strictSame(await state(), before, `${about}: nothing has moved`);
    if (end === 'killed') await kill();
    else await ok(cancelRun, { params: { id: runId } });
    await faults.release([point]);
  }
  const { whole } = await ended(runId);
  await faults.clear();
  t.strictSame(await holds(), [], `${about}: nothing is held`);
  if (end === 'killed' || (whole.status === 'succeeded' && end === 'cancelled')) {
    t.equal(whole.status, 'succeeded', about);
    t.notOk(NEVER_LANDS.includes(point as FaultPoint) && end === 'cancelled', about);
    const made = await Promise.all(outputs.map((id) => rows(id)));
    const keys = made[2]?.map(([key]) => key) ?? [];
    t.equal(new Set(keys).size, keys.length, `${about}: each row is there once`);
    t.equal(made[0]?.length, keys.length, `${about}: each row has come`);
    return;
  }
  t.equal(whole.status, end === 'cancelled' ? 'cancelled' : 'failed', about);
  t.strictSame(await state(), before, `${about}: every table, mark and checkpoint is as it was`);
}

t.test(
  'whatever ends a whole, at whichever step and point → all of its tables have changed, or none has',
  async (t) => {
    const world = await faultWorld(t);
    for (const [at, one] of sample('group-faults', CASES, FEW).entries()) await tryCase(t, world, one, `_${at}`);
    const left = await warehouseFaults(world.database.peek, folderWarehouse(`${world.folder}/warehouse`));
    t.strictSame(left, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
  },
);

t.test('one failed step of ten is run again → the nine are not', async (t) => {
  const world = await faultWorld(t);
  const { ok, hydrated, change, ended, groups, database } = world;
  const steps = [await hydrated('wide', 'select * from range(1000) r(n)', 'silver.acme.wide')];
  for (let at = 1; at < 9; at += 1)
    steps.push(await hydrated(`part_${at}`, `select n + ${at} as n from silver.acme.wide`, `silver.acme.part_${at}`));
  const checks = (max: number) => ({ checks: [{ name: 'few', kind: 'row_count', max }] });
  const last = await hydrated('last', 'select count(*) as n from silver.acme.part_8', 'gold.acme.last', checks(0));
  const transform_ids = [...steps, last].map(({ transform_id }) => transform_id);
  const run = async (resume: object = {}) => {
    const body = { transform_ids, publish: 'together' as const, ...resume };
    return (await ended((await ok(endpoints.materializeTransforms, { body })).run_id)).whole;
  };
  const failed = await run();
  t.match(failed, { status: 'failed', failure: { code: 'check_failed' } });
  await change(last, checks(1));
  const made = await run({ resume_run_id: failed.run_id });
  t.match(made, { status: 'succeeded' });
  const views = await groups.steps(await database.tenant('acme'), made.run_id);
  t.equal(views.filter(({ adopted_from: from }) => from !== null).length, 9);
  t.match(
    views.filter(({ adopted_from: from }) => from === null),
    [{ name: 'last', not_adopted: null, reason: 'first' }],
  );
});
