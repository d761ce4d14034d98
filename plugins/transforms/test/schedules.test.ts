import { call as callAs } from '@weir/kernel/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const ABSENT = '01900000-0000-7000-8000-000000000000';
const TABLE = 'gold.acme.ticks';
const DAILY = { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' };

t.test('a transform runs on a schedule', async (t) => {
  const world = await runWorld(t, { WEIR_SCHEDULE_MIN_SECONDS: '1' });
  const { ok, call, hydrated, ended, rows } = world;
  const params = await hydrated('ticks', 'select 1 as one', TABLE);
  const put = (body: object) => ok(endpoints.putTransformSchedule, { params, body });
  /** What is kept of a time, of which a list shows the newest ten only. */
  const noted = (runId: string) =>
    world.database.peek(`select origin, outcome, requested_by from schedules.firing where run_id = '${runId}'`);

  await t.test('a schedule is given, listed, paused and resumed by its routes', async (t) => {
    t.match(await call(endpoints.getTransformSchedule, { params }), { problem: { status: 404, code: 'not_found' } });
    t.match(await put(DAILY), {
      ...{ transform_id: params.transform_id, transform_name: 'ticks', ...DAILY, applied: true, last_firings: [] },
      ...{ sentence: 'At 02:30, by the clocks of Europe/Berlin', etag: '1' },
    });
    t.match((await ok(endpoints.listTransformSchedules)).items, [{ transform_name: 'ticks' }]);
    const other = { query: { transform_id: ABSENT } };
    t.strictSame((await ok(endpoints.listTransformSchedules, other)).items, []);
    const paused = await ok(endpoints.pauseTransformSchedule, { params, body: { reason: 'the month ends' } });
    t.match(paused, { paused: true, pause_reason: 'the month ends', next_run_at: null });
    t.match(await ok(endpoints.resumeTransformSchedule, { params }), { paused: false });
    t.match(await call(endpoints.putTransformSchedule, { params, body: { cron: ['no'] } }), {
      problem: { status: 422, code: 'schedule_invalid', errors: [{ pointer: '/cron/0', code: 'not_cron' }] },
    });
  });

  await t.test('an absent or foreign transform → not_found at every route', async (t) => {
    const absent = { params: { transform_id: ABSENT } };
    const stranger = { url: world.api.url, token: await world.token('other'), tenant: 'other' };
    for (const answer of [
      ...[await call(endpoints.getTransformSchedule, absent), await call(endpoints.deleteTransformSchedule, absent)],
      await call(endpoints.putTransformSchedule, { ...absent, body: DAILY }),
      await callAs(endpoints.getTransformSchedule, { params }, stranger),
      await callAs(endpoints.triggerTransformSchedule, { params }, stranger),
      await callAs(endpoints.pauseTransformSchedule, { params, body: {} }, stranger),
    ])
      t.match(answer, { problem: { status: 404, code: 'not_found' } });
  });

  await startWorker(t, world.environment, 'transform,general');
  await t.test('its time comes → a run that the schedule asked for; a trigger → one of its caller', async (t) => {
    await ok(endpoints.changeTransform, { params, body: { sql: 'select typo' } });
    await put({ interval_seconds: 1 });
    const run = await until('a run', async () => {
      const { items } = await ok(endpoints.listRunsOfTransform, { params });
      return items.find(({ status }) => status === 'succeeded');
    });
    await put(DAILY);
    t.match(run, { requested_by: 'schedule', transform_id: params.transform_id });
    t.strictSame(await rows(TABLE), [[1]], 'a draft keeps nothing from running, and is not what runs');
    t.match(await noted(run.run_id), [{ origin: 'schedule', outcome: 'started', requested_by: 'schedule' }]);
    const triggered = await until('a trigger', async () => {
      const answer = await call(endpoints.triggerTransformSchedule, { params });
      return answer.ok ? answer.body.run_id : undefined;
    });
    t.match(await ended(triggered), { status: 'skipped', requested_by: 'admin@acme' });
    t.match(await noted(triggered), [{ origin: 'trigger', requested_by: 'admin@acme' }]);
  });

  await t.test('an archived transform → each time says why it does not run', async (t) => {
    await ok(endpoints.changeTransform, { params, body: { archived: true } });
    await put({ interval_seconds: 1 });
    const [reason] = await until('a time that says why', async () => {
      const text = `select reason from schedules.firing where reason->>'code' = 'transform_not_ready'`;
      const found = await world.database.peek(text);
      return found.length > 0 && found.map((row) => row.reason);
    });
    t.match(reason, { detail: String, hint: String });
    await put(DAILY);
  });

  await t.test('a deleted transform → its schedule and what became of its times go', async (t) => {
    t.match(await call(endpoints.deleteTransform, { params }), { status: 204 });
    t.match(await call(endpoints.getTransformSchedule, { params }), { problem: { status: 404 } });
    t.strictSame((await ok(endpoints.listTransformSchedules)).items, []);
    t.strictSame(await world.database.peek('select 1 from schedules.firing'), []);
    await until('the engine to let go', async () => {
      const rows = await world.database.peek('select 1 from schedules.schedule');
      return rows.length === 0;
    });
  });
});
