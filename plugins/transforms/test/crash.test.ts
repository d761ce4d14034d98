import { readdir } from 'node:fs/promises';
import type { FaultPoint } from '@weir/kernel';
import t, { type Test } from 'tap';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { folderWarehouse, warehouseFaults } from '../../../test/warehouse-files.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

/** Inputs are held; files are staged; the commit is prepared, about to land, and has landed unrecorded. */
const POINTS: readonly FaultPoint[] = ['T1', 'T2', 'S10', 'S11', 'T3'];
const BASE = 'silver.acme.base';
/** By row, by key and by partition. */
const INCREMENTS = [
  { sql: `select id, v * 2 as v from ${BASE}`, body: { materialization: 'append' } },
  {
    sql: `select id, v from ${BASE} qualify row_number() over (partition by id order by day desc) = 1`,
    body: { materialization: 'merge', key: ['id'] },
  },
  {
    sql: `select day, sum(v)::int as v from ${BASE} group by day`,
    body: { materialization: 'partition_overwrite', partition_by: ['day'] },
  },
] as const;

type Params = { transform_id: string };
type Kill = { point: FaultPoint; params: Params; expected: object };

/** A platform whose worker dies while it holds runs. */
async function crashWorld(t: Test) {
  const world = await runWorld(t);
  const { ok, ended, platform, database, folder } = world;
  const faults = await faultFolder(`${folder}/faults`);
  const environment = {
    ...{ ...world.environment, WEIR_FAULTPOINTS: faults.path },
    WEIR_TRANSFORM_LANES_PER_TENANT: String(POINTS.length),
    WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITIES: String(POINTS.length),
  };
  let worker = await startWorker(t, environment, 'transform');
  const tenant = await database.tenant('acme');
  const snapshots = async (sql: string, of: string) =>
    (await platform.database.db(tenant).transaction((tx) => tx.sql(sql, [of]))).rows.map((row) => row.id);
  const heldBy = (run: string) =>
    snapshots('select snapshot_id::text as id from datasets.input_hold where run_id = $1', run);
  const markOf = ({ transform_id: id }: Params) =>
    snapshots(`select snapshot_id::text as id from datasets.input_mark where reader = 'transform:' || $1`, id);
  const idsOf = async (params: Params) =>
    (await ok(endpoints.listRunsOfTransform, { params })).items.map(({ run_id: id }) => id);

  /** Begins runs, ends the worker when each is at its point, and has another worker end them. */
  const killed = async (kills: readonly Kill[]) => {
    const begun: (Kill & { runId: string; before: string[] })[] = [];
    for (const kill of kills) {
      const { point, params } = kill;
      await faults.arm(point);
      const before = await idsOf(params);
      const { run_id: runId } = await ok(endpoints.materializeTransform, { params });
      await faults.held(point);
      begun.push({ ...kill, runId, before });
      t.equal((await heldBy(runId)).length, 1, `${point}: the inputs are held while the run lives`);
    }
    const lost = worker.pid;
    await worker.end('SIGKILL');
    await faults.release(POINTS);
    worker = await startWorker(t, environment, 'transform');
    for (const { point, runId, params, before, expected } of begun) {
      const run = await ended(runId);
      const committed = { status: 'succeeded', failure: null, output_snapshot_id: /^\d+$/, attempt: 2 };
      t.match(run, { ...committed, ...expected }, point);
      t.strictSame(await idsOf(params), [runId, ...before], `${point}: one run`);
      t.strictSame(await heldBy(runId), [], `${point}: nothing is held any more`);
      const readOn = run.extent === null ? [] : [run.inputs[0]?.snapshot_id];
      t.strictSame(await markOf(params), readOn, `${point}: kept is the snapshot from which the next run reads on`);
    }
    const scratch = await readdir(`${folder}/work/attempts`);
    const left = scratch.filter((name) => name.startsWith(`${lost}-`));
    t.strictSame(left, [], 'no scratch folder of the lost worker is left');
    await faults.clear();
  };
  return { ...world, killed };
}

t.test('kill -9 of the worker at every point of a run → one run, one snapshot, its rows once', async (t) => {
  const { ok, hydrated, materialized, rows, killed, database, folder } = await crashWorld(t);
  const base = await hydrated('base', 'select 0 as id, 0 as day, 0 as v', BASE, { materialization: 'append' });
  const land = async (values: string) => {
    const sql = `select id, day, v from (values ${values}) e(id, day, v)`;
    await ok(endpoints.changeTransform, { params: base, body: { sql } });
    await ok(endpoints.hydrateTransform, { params: base });
    t.match(await materialized(base), { status: 'succeeded' });
  };
  const shown = async (name: string) => (await rows(`gold.acme.${name}`)).map((row) => row.join()).toSorted();
  const made = () => Promise.all(INCREMENTS.map(({ body }) => shown(body.materialization)));

  await land('(1, 1, 10), (2, 1, 20)');
  const transforms: Params[] = [];
  for (const { sql, body } of INCREMENTS) {
    const name = body.materialization;
    const params = await hydrated(name, sql, `gold.acme.${name}`, { ...body, incremental: BASE });
    t.match(await materialized(params), { status: 'succeeded', reason: 'first', extent: 'full' }, name);
    transforms.push(params);
  }
  /** Every increment below is of one row, one key and one partition. */
  const expected = { reason: 'input_moved', extent: 'increment', rows: '1' };
  const kill = (points: readonly FaultPoint[]) =>
    transforms.map((params, at): Kill => ({ point: points[at] ?? 'T3', params, expected }));

  await land('(2, 2, 21)');
  await killed(kill(['T3', 'T3', 'T3']));
  t.strictSame(await made(), [
    ['1,20', '2,40', '2,42'],
    ['1,10', '2,21'],
    ['1,30', '2,21'],
  ]);

  await land('(1, 2, 11)');
  const sql = `select v from ${BASE} where day = 1`;
  const plain = await hydrated('plain', sql, 'gold.acme.plain', { materialization: 'append' });
  const first = { reason: 'first', extent: null, rows: '2' };
  await killed([{ point: 'T1', params: plain, expected: first }, ...kill(['T2', 'S10', 'S11'])]);
  t.strictSame(await shown('plain'), ['10', '20']);
  t.strictSame(await made(), [
    ['1,20', '1,22', '2,40', '2,42'],
    ['1,11', '2,21'],
    ['1,30', '2,32'],
  ]);
  for (const params of transforms)
    t.match(await materialized(params), { status: 'skipped' }, 'nothing is left to read');
  const faults = await warehouseFaults(database.peek, folderWarehouse(`${folder}/warehouse`));
  t.strictSame(faults, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
});
