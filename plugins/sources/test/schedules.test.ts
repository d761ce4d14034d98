import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { setTenantLimits } from '@weir/plugin-platform/contract';
import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  createSource,
  deleteSchedule,
  getSchedule,
  getSyncStatus,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  triggerSchedule,
} from '../src/contract.ts';
import { type Api, discovered, enableAll, ok, refusal } from './platform.ts';
import { firer, firing, type Noted, noted } from './schedule-parts.ts';
import { sharedPlatform } from './shared-platform.ts';

/** What the source has. */
const ROWS = 'id\n1\n2\n';

t.test('times of a schedule become syncs, or say why not', async (t) => {
  const platform = await sharedPlatform(t);
  const [api, tenant] = [await platform.as('demo'), await platform.tenant('demo')];
  const held: ServerResponse[] = [];
  let holds = false;
  const server = createServer((_request, answer) => {
    if (holds) held.push(answer);
    else answer.end(ROWS);
  });
  const source_config = { url: `http://127.0.0.1:${await platform.listen(server)}/a.csv` };
  const { source_id } = ok(await api(createSource, { body: { name: 'shop', pattern_id: 'files', source_config } }));
  const params = { source_id };
  const put = async (body: object, by: Api = api) => ok(await by(putSchedule, { params, body }));
  const release = () => {
    holds = false;
    for (const answer of held.splice(0)) answer.end(ROWS);
  };

  await t.test('a schedule may run as often as the operator lets it', async (t) => {
    t.match(await put({ interval_seconds: 1 }), { sentence: 'Every second', applied: true });
  });

  const seen = (isIt: (one: Noted) => boolean) => noted(platform, tenant, isIt);
  await t.test('a source that is not ready is skipped with what would refuse a sync', async (t) => {
    const skipped = await firing(api, source_id, ({ status }) => status === 'skipped');
    t.match(skipped, { origin: 'schedule', requested_by: 'schedule', run_id: null });
    t.match(skipped.reason, { code: 'source_not_ready', detail: /draft/ });
    t.match(skipped.reason?.next, [{ operation: 'sources.start_discovery', params: { source_id } }]);
    ok(await api(pauseSchedule, { params, body: {} }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  });

  await t.test('it fires by itself, every time as it was planned', async (t) => {
    await put({ interval_seconds: 2 });
    ok(await api(resumeSchedule, { params }));
    const done = await seen(({ status }) => status === 'succeeded');
    t.match(done, { origin: 'schedule', requested_by: 'schedule' });
    t.equal(new Date(done.scheduled_at).getTime() % 2_000, 0);
    const { run } = ok(await api(getSyncStatus, { params, query: { run_id: done.run_id ?? '' } }));
    t.match(run, { requested_by: 'schedule', status: 'succeeded', rows_written: 2 });
  });

  await t.test(
    'while a sync runs a time is left out, or with buffer_one waits for its end, but one only',
    async (t) => {
      holds = true;
      await until('a sync that reads', () => held.length > 0);
      const skipped = await firing(api, source_id, ({ reason }) => reason?.code === 'run_already_active');
      t.match(skipped, { status: 'skipped', run_id: null, reason: { detail: /was running/, hint: /buffer_one/ } });
      await put({ interval_seconds: 2, overlap: 'buffer_one' });
      const { firing_id } = await seen(({ outcome }) => outcome === 'waiting');
      t.equal(
        refusal(await api(triggerSchedule, { params, query: { queue: true } })),
        '409 run_already_active',
        'who asks can ask again',
      );
      await seen(({ code }) => code === 'schedule_waiting');
      release();
      const ended = await seen((one) => one.firing_id === firing_id && one.outcome !== 'waiting');
      t.match(ended, { outcome: 'started', code: null });
    },
  );

  await t.test('nothing fires while it is paused; a trigger does', async (t) => {
    t.equal(ok(await api(pauseSchedule, { params, body: {} })).applied, true, 'the engine has it');
    const triggered = await until('a trigger', async () => {
      const answer = await api(triggerSchedule, { params });
      return answer.ok ? answer.body.run_id : undefined;
    });
    const done = await seen((one) => one.run_id === triggered && one.status === 'succeeded');
    t.match(done, { origin: 'trigger', requested_by: 'admin@demo', code: null });
    const { last_firings, paused_at } = ok(await api(getSchedule, { params }));
    const late = last_firings.filter((one) => one.origin === 'schedule' && one.scheduled_at > (paused_at ?? ''));
    t.ok(
      late.every(({ reason }) => reason?.code === 'schedule_paused'),
      'what came meanwhile was left out',
    );
  });

  const fire = await firer(t, tenant, source_id);
  // An hourly schedule whose last time was a minute ago, so that no hour is full meanwhile.
  const last = Math.floor(Date.now() / 1_000) - 60;
  const hour = (ago: number) => new Date((last - ago * 3_600) * 1_000).toISOString();
  await t.test('a time is noted once, however often it is tried', async (t) => {
    const id = randomUUID();
    await put({ interval_seconds: 3_600, offset_seconds: last % 3_600 });
    await fire(hour(0), id);
    await fire(hour(0), id);
    const { last_firings } = ok(await api(getSchedule, { params }));
    t.match(
      last_firings.filter(({ firing_id }) => firing_id === id),
      [{ status: 'skipped', reason: { code: 'schedule_paused' } }],
    );
    t.equal(last_firings.filter(({ firing_id }) => firing_id === id).length, 1);
  });

  await t.test(
    'a time that nobody could begin in its window is missed, and one of another schedule is none',
    async (t) => {
      ok(await api(resumeSchedule, { params }));
      const before = ok(await api(getSchedule, { params })).last_firings[0]?.firing_id;
      await fire(new Date(Date.parse(hour(0)) + 1_000).toISOString());
      t.equal(ok(await api(getSchedule, { params })).last_firings[0]?.firing_id, before, 'it leaves no trace');
      await fire(hour(5));
      const missed = await firing(api, source_id, ({ reason }) => reason?.code === 'schedule_missed');
      t.match(missed, { status: 'skipped', scheduled_at: hour(5), reason: { hint: /run it now/ } });
      t.match(missed.reason?.next?.at(-1), { operation: 'sources.trigger_schedule', params: { source_id } });
    },
  );

  await t.test('a tenant that has used up its runs is told so', async (t) => {
    const operator = await platform.as('demo', 'platform_admin');
    const limits = { runs_per_day: 1, concurrent_runs: null, storage_bytes: null };
    ok(await operator(setTenantLimits, { params: { alias: platform.alias('demo') }, body: limits }));
    await put({ interval_seconds: 2 });
    const skipped = await firing(api, source_id, ({ reason }) => reason?.code === 'quota_exceeded');
    t.match(skipped, { status: 'skipped', run_id: null, reason: { detail: /1 runs/ } });
    // The engine is that of all tests, and would go on.
    t.equal((await api(deleteSchedule, { params })).status, 204);
  });
});
