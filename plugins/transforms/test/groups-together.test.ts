import { listDatasets } from '@weir/plugin-datasets/contract';
import { getRun } from '@weir/plugin-runs/contract';
import t, { type Test } from 'tap';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const RAW = 'silver.acme.raw';
const DAYS = 'silver.acme.days';
const SUMS = 'gold.acme.sums';
const TOP = 'gold.acme.top';

/** Four transforms in a chain, one of each way to write, that publish together. */
async function togetherWorld(t: Test) {
  const world = await runWorld(t);
  const { ok, hydrated, database } = world;
  await startWorker(t, world.environment, 'transform');
  const values = (rows: string) => `select id, day, v from (values ${rows}) e(id, day, v)`;
  const raw = await hydrated('raw', values('(1, 1, 10), (2, 1, 20)'), RAW, { materialization: 'append' });
  const days = await hydrated('days', `select day, sum(v)::int as v from ${RAW} group by day`, DAYS, {
    ...{ materialization: 'partition_overwrite', partition_by: ['day'], incremental: RAW },
  });
  const sums = await hydrated('sums', `select id, v * 2 as v from ${RAW}`, SUMS, {
    ...{ materialization: 'merge', key: ['id'], incremental: RAW },
  });
  const checks = (max: number) => [{ name: 'few', kind: 'row_count', max }];
  const top = await hydrated('top', `select max(s.v) as v, count(*)::int as days from ${SUMS} s, ${DAYS} d`, TOP, {
    checks: checks(9),
  });
  const all = [raw, days, sums, top];

  const change = async (params: { transform_id: string }, body: object) => {
    await ok(endpoints.changeTransform, { params, body });
    await ok(endpoints.hydrateTransform, { params });
  };
  const run = async (body: object = {}) => {
    const transform_ids = all.map(({ transform_id }) => transform_id).toReversed();
    const asked = { publish: 'together' as const, transform_ids, ...body };
    const { run_id } = await ok(endpoints.materializeTransforms, { body: asked });
    const whole = await until('the end of a whole', async () => {
      const found = await ok(getRun, { params: { id: run_id } });
      return found.is_terminal ? found : undefined;
    });
    const { items } = await ok(endpoints.listTransformRuns, { query: { orchestrator_run_id: run_id } });
    const parts = new Map(items.map((part) => [part.output, part]));
    return {
      whole,
      part: (id: string) => parts.get(id),
      statuses: [RAW, DAYS, SUMS, TOP].map((id) => parts.get(id)?.status),
    };
  };
  /** All that may not move: pointers, what was read, and what is marked. */
  const state = async () => ({
    datasets: (await ok(listDatasets, {})).items,
    pointers: await database.peek('select table_name, metadata_location from catalog.iceberg_tables order by 1'),
    checkpoints: await database.peek('select key, state::text from datasets.checkpoint order by 1'),
    marks: await database.peek('select reader, snapshot_id from datasets.input_mark order by 1'),
    holds: await database.peek('select run_id from datasets.input_hold'),
  });
  const land = (rows: string) => change(raw, { sql: values(rows) });
  return { ...world, all, raw, days, sums, top, change, checks, run, state, land };
}

t.test('tables that publish together → all of them or none, new ones too', async (t) => {
  const { ok, rows, run, state, change, checks, top, land } = await togetherWorld(t);
  await change(top, { checks: checks(0) });
  const nothing = await state();
  t.match(nothing, { datasets: [], pointers: [] });
  const failed = await run();
  t.match(failed.whole, { status: 'failed', failure: { code: 'check_failed' } });
  t.strictSame(failed.statuses, ['skipped', 'skipped', 'skipped', 'failed']);
  t.match(failed.part(SUMS), { failure: { code: 'not_published' }, output_snapshot_id: null });
  t.strictSame(await state(), nothing, 'no table was made, nothing was read and nothing is held');

  await change(top, { checks: checks(9) });
  const made = await run();
  t.match(made.whole, { status: 'succeeded', failure: null });
  t.strictSame(made.statuses, ['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  t.match(made.part(SUMS)?.inputs, [{ dataset_id: RAW, snapshot_id: made.part(RAW)?.output_snapshot_id }]);
  t.strictSame(await rows(TOP), [[40, 2]]);
  t.match((await run()).whole, { status: 'skipped' }, 'nothing has moved');

  await land('(3, 2, 50), (4, 1, 1)');
  const more = await run();
  t.match(more.whole, { status: 'succeeded' });
  t.match(
    [RAW, DAYS, SUMS, TOP].map((id) => more.part(id)),
    [{ reason: 'definition_changed' }, { extent: 'increment' }, { extent: 'increment' }, { extent: 'full' }],
    'increments of what no pointer named yet',
  );
  t.strictSame((await rows(DAYS)).map(String).toSorted(), ['1,31', '2,50']);
  t.strictSame((await rows(SUMS)).map(String).toSorted(), ['1,20', '2,40', '3,100', '4,2']);
  t.strictSame(await rows(TOP), [[100, 8]]);
  t.match((await run()).whole, { status: 'skipped' });

  await t.test('a new column, another type, a failure at the end → every table as it was', async (t) => {
    await land('(5, 3, 5)');
    await change(top, { checks: checks(0) });
    const before = await state();
    t.match((await run()).whole, { status: 'failed' });
    t.strictSame(await state(), before);
    await change(top, { checks: checks(9) });
    t.match((await run()).statuses, ['succeeded', 'succeeded', 'succeeded', 'succeeded']);
    t.strictSame(await ok(listDatasets, {}).then(({ items }) => items.length), 4);
  });
});
