import { cancelRun, getRun, listRuns, readLog } from '@weir/plugin-runs/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const RAW = 'silver.acme.raw';
const CLEAN = 'silver.acme.clean';
const SUMS = 'gold.acme.sums';

/** A chain of three, named in reverse: nothing of it has run. */
async function chainWorld(t: Parameters<typeof runWorld>[0], more: Record<string, string> = {}) {
  const world = await runWorld(t, more);
  const { ok, hydrated } = world;
  await startWorker(t, world.environment, 'transform');
  const raw = await hydrated('raw', 'select * from (values (1, 10), (2, 20)) v(id, total)', RAW);
  const ids = [raw.transform_id];
  const run = async (body: object = {}) => {
    const asked = { transform_ids: ids.toReversed(), ...body };
    const { run_id } = await ok(endpoints.materializeTransforms, { body: asked });
    return run_id;
  };
  const ended = (id: string) =>
    until('the end of a whole', async () => {
      const whole = await ok(getRun, { params: { id } });
      return whole.is_terminal ? whole : undefined;
    });
  const parts = async (whole: string) => {
    const { items } = await ok(endpoints.listTransformRuns, { query: { orchestrator_run_id: whole } });
    return new Map(items.map((part) => [part.output, part]));
  };
  return { ...world, raw, ids, run, ended, parts };
}

t.test('several transforms as one run → in the order of their tables; what follows a failure is skipped', async (t) => {
  const { ok, call, hydrated, materialized, rows, raw, ids, run, ended, parts } = await chainWorld(t);
  t.match(await materialized(raw), { status: 'succeeded' });
  const clean = await hydrated('clean', `select id, total from ${RAW} where total > 10`, CLEAN);
  t.match(await materialized(clean), { status: 'succeeded' });
  const sums = await hydrated('sums', `select sum(total)::int as total from ${CLEAN}`, SUMS);
  ids.push(clean.transform_id, sums.transform_id);

  const first = await run();
  const whole = await ended(first);
  t.match(whole, { kind: 'materialization', status: 'succeeded', attempt: 1, parent_run_id: null, failure: null });
  t.ok(whole.started_at && whole.ended_at && whole.started_at < whole.ended_at, 'the whole has times of its own');
  const made = await parts(first);
  t.strictSame(
    [RAW, CLEAN, SUMS].map((id) => made.get(id)?.status),
    ['skipped', 'skipped', 'succeeded'],
  );
  t.match(made.get(SUMS), { triggering_transform_id: sums.transform_id, orchestrator_run_id: first, rows: '1' });
  t.strictSame(await rows(SUMS), [[20]]);
  const { publish, steps } = await ok(endpoints.readSteps, { params: { run_id: first } });
  t.equal(publish, 'each');
  t.match(steps, [
    { name: 'raw', after: [], output: RAW, status: 'skipped' },
    { name: 'clean', after: [raw.transform_id], status: 'skipped' },
    { name: 'sums', after: [clean.transform_id], status: 'succeeded', rows: '1', code: null },
  ]);
  const ofPart = await ok(endpoints.readSteps, { params: { run_id: steps[1]?.run_id ?? '' } });
  t.strictSame(ofPart.steps, steps, 'a part names its whole');
  t.match(await ended(await run()), { status: 'skipped' }, 'nothing has moved');

  await ok(endpoints.changeTransform, { params: raw, body: { sql: "select 1 as id, 'x' as total" } });
  await ok(endpoints.hydrateTransform, { params: raw });
  const failed = await run();
  t.match(await ended(failed), { status: 'failed', failure: { detail: /^1 of 3 steps failed: / } });
  const broken = await parts(failed);
  t.match(broken.get(RAW), { status: 'succeeded', reason: 'definition_changed' });
  t.match(broken.get(CLEAN), { status: 'failed' });
  t.match(broken.get(SUMS), { status: 'skipped', failure: { code: 'upstream_failed' } });
  t.strictSame(await rows(SUMS), [[20]]);
  const { items } = await ok(readLog, { params: { id: failed }, query: {} });
  t.match(items.at(-1), { message: /^the run has ended: failed/ }, 'the whole has a log of its own');

  await t.test('what cannot be one run → refused by name, and nothing is made', async (t) => {
    const before = (await ok(listRuns, {})).items.length;
    const strange = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';
    t.match(await call(endpoints.materializeTransforms, { body: { transform_ids: [raw.transform_id, strange] } }), {
      problem: {
        status: 422,
        code: 'steps_refused',
        errors: [{ pointer: '/transform_ids/1', code: 'transform_unknown' }],
      },
    });
    const body = { name: 'draft', sql: 'select 1 as n', output: 'gold.acme.draft' };
    const draft = await ok(endpoints.createTransform, { body });
    t.match(
      await call(endpoints.materializeTransforms, { body: { transform_ids: [raw.transform_id, draft.transform_id] } }),
      {
        problem: {
          status: 409,
          code: 'steps_not_ready',
          errors: [{ pointer: '/transform_ids/1' }],
          detail: /draft \(hydrated\)/,
        },
      },
    );
    const twice = { transform_ids: [raw.transform_id, raw.transform_id] };
    t.match(await call(endpoints.materializeTransforms, { body: twice }), { problem: { status: 400 } });
    await ok(endpoints.changeTransform, { params: raw, body: { sql: `select 1 as id, 2 as total from ${SUMS}` } });
    await ok(endpoints.hydrateTransform, { params: raw });
    t.match(await call(endpoints.materializeTransforms, { body: { transform_ids: ids } }), {
      problem: {
        status: 422,
        code: 'steps_refused',
        errors: [0, 2, 1].map((at) => ({ pointer: `/transform_ids/${at}`, code: 'circle' })),
      },
    });
    t.equal((await ok(listRuns, {})).items.length, before);
  });
});

t.test('limits and lanes count wholes: a run of three steps where one may be open, in one lane', async (t) => {
  const { ok, call, hydrated, ids, raw, run, ended, parts } = await chainWorld(t, {
    ...{ WEIR_LIMIT_CONCURRENT_RUNS: '1', WEIR_LIMIT_RUNS_PER_DAY: '4', WEIR_TRANSFORM_LANES_PER_TENANT: '1' },
  });
  for (const name of ['one', 'two'])
    ids.push((await hydrated(name, `select '${name}' as name`, `gold.acme.${name}`)).transform_id);
  const first = await run();
  t.match(await ended(first), { status: 'succeeded' });
  t.equal((await parts(first)).size, 3);

  const slow = await hydrated('slow', 'select count(*) as n from range(90000000000)', 'gold.acme.slow');
  ids.splice(0, ids.length, raw.transform_id, slow.transform_id);
  const second = await run({ force: true });
  const open = await until('a whole that works', async () => {
    if ((await parts(second)).get('gold.acme.slow')?.status !== 'running') return undefined;
    const whole = await ok(getRun, { params: { id: second } });
    return whole.worker?.state === 'working' ? whole : undefined;
  });
  t.match(open, { status: 'running' });
  t.match(await call(endpoints.materializeTransform, { params: raw }), {
    problem: { status: 429, code: 'concurrency_limited' },
  });
  t.match(await ok(cancelRun, { params: { id: second } }), { state: 'cancelling' }, 'its worker is asked');
  t.match(await ended(second), { status: 'cancelled' });
  t.match((await parts(second)).get('gold.acme.slow'), { status: 'cancelled', failure: null });
  ids.pop();
  t.match(await ended(await run({ force: true })), { status: 'succeeded' }, 'lane and limit are free again');
});
