import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewSchedule } from '@weir/plugin-schedules/contract';
import t from 'tap';
import {
  cancelSync,
  createStream,
  deleteSchedule,
  deleteSource,
  getSchedule,
  getSource,
  listSchedules,
  listSources,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  triggerSchedule,
} from '../src/contract.ts';
import { filesSource, ok, refusal } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const ABSENT = '01900000-0000-7000-8000-000000000000';
const DAY_SECONDS = 86_400;
const daily = { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' };

t.test('schedules of sources keep their rules', async (t) => {
  const platform = await sharedPlatform(t);
  const api = await platform.idle('demo', 'pipeline_editor');
  const data = join(platform.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'a.csv'), 'id\n1\n');
  const { source_id } = await filesSource(api, 'shop', data);
  const params = { source_id };
  const put = (body: object, headers: Record<string, string> = {}) => api(putSchedule, { params, body }, headers);

  await t.test('a source has none until it is given one, which is told in words and in both times', async (t) => {
    t.equal(refusal(await api(getSchedule, { params })), '404 not_found');
    t.equal(ok(await api(getSource, { params })).schedule, null);
    const made = await put(daily);
    t.match(ok(made), {
      ...daily,
      ...{ source_id, source_name: 'shop', interval_seconds: null, overlap: 'skip', jitter_seconds: 0 },
      ...{ sentence: 'At 02:30, by the clocks of Europe/Berlin', paused: false, applied: true, last_firings: [] },
      ...{ updated_by: 'pipeline_editor@demo', etag: '1', catchup_window_seconds: 3_600 },
    });
    const { next_runs, next_run_at, clock_changes } = ok(made);
    t.equal(next_runs.length, 5);
    t.equal(next_run_at, next_runs[0]?.at);
    t.ok(next_runs.every(({ at, local }) => Date.parse(at) === Date.parse(local) && local.includes('T02:30:00+0')));
    t.ok(clock_changes.every(({ wall_times }) => wall_times.includes('02:30')));
    t.strictSame(ok(await api(getSource, { params })).schedule, { paused: false, next_run_at });
    t.strictSame(ok(await api(listSources)).items[0]?.schedule, { paused: false, next_run_at });
  });

  await t.test('the same again changes nothing, another replaces it, and If-Match guards both', async (t) => {
    t.equal(ok(await put({ ...daily, overlap: 'skip', offset_seconds: 0 })).etag, '1');
    t.equal(refusal(await put(daily, { 'if-match': '"7"' })), '412 precondition_failed');
    const hourly = await put({ interval_seconds: 3_600, overlap: 'buffer_one' }, { 'if-match': '"1"' });
    t.match(ok(hourly), { etag: '2', cron: [], timezone: 'UTC', overlap: 'buffer_one', sentence: 'Every hour' });
    t.equal(hourly.headers.get('etag'), '"2"');
    t.equal(refusal(await api(deleteSchedule, { params }, { 'if-match': '"1"' })), '412 precondition_failed');
  });

  await t.test('what cannot be is refused by place and rule, without its text', async (t) => {
    const errors = async (body: object) => {
      const answer = await put(body);
      if (answer.ok || answer.problem.code !== 'schedule_invalid') return refusal(answer);
      t.notMatch(JSON.stringify(answer), /canary/);
      return answer.problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).join();
    };
    t.equal(await errors({ cron: ['canary * * * *'] }), '/cron/0 not_cron');
    t.equal(await errors({ cron: ['@daily'] }), '/cron/0 not_cron', 'with the hint that five fields are wanted');
    t.equal(await errors({ cron: ['0 0 30 2 *'] }), '/cron/0 never_runs');
    t.equal(await errors({ interval_seconds: 60, timezone: 'Canary/canary' }), '/timezone unknown_zone');
    t.equal(await errors({ interval_seconds: 60, cron: ['0 0 * * *'] }), '/interval_seconds not_with_cron');
    t.equal(await errors({}), '/cron required');
    t.equal(await errors({ interval_seconds: 59 }), '422 schedule_too_frequent');
    t.equal(await errors({ ...daily, overlap: 'cancel_other' }), '400 validation_failed');
    t.equal(await errors({ ...daily, paused: true }), '400 validation_failed', 'a read-only field');
    t.equal(await errors({ ...daily, start_at: 'tomorrow' }), '400 validation_failed');
    t.equal(ok(await api(getSchedule, { params })).etag, '2');
  });

  await t.test('times are shown before anything has them, as they will be, and refused as they would be', async (t) => {
    const hourly = { interval_seconds: 3_600 };
    const { sentence, next_runs, clock_changes, timezone } = ok(await api(getSchedule, { params }));
    const preview = (body: object) => api(previewSchedule, { body });
    t.match(ok(await preview(hourly)), { ...hourly, sentence, next_runs, clock_changes, timezone });
    t.equal(refusal(await preview({ interval_seconds: 59 })), '422 schedule_too_frequent');
    t.equal(refusal(await preview({ cron: ['canary * * * *'] })), '422 schedule_invalid');
    t.equal(refusal(await preview({ ...daily, overlap: 'skip' })), '400 validation_failed', 'times alone');
  });

  await t.test('a pause says who, when and why, and stays through what changes the times', async (t) => {
    const paused = ok(await api(pauseSchedule, { params, body: { reason: 'the shop moves' } }));
    t.match(paused, { paused: true, paused_by: 'pipeline_editor@demo', pause_reason: 'the shop moves', etag: '3' });
    t.match(paused, { next_run_at: null, next_runs: [], paused_at: /Z$/, applied: true });
    const again = await (await platform.idle('demo'))(pauseSchedule, { params, body: {} });
    t.strictSame(ok(again), paused, 'the first pause stands');
    t.match(ok(await put(daily)), { paused: true, pause_reason: 'the shop moves', etag: '4' });
    t.strictSame(ok(await api(getSource, { params })).schedule, { paused: true, next_run_at: null });
    const resumed = ok(await api(resumeSchedule, { params }));
    t.match(resumed, { paused: false, paused_by: null, pause_reason: null, etag: '5' });
    t.equal(ok(await api(resumeSchedule, { params })).etag, '5');
    t.equal(refusal(await api(pauseSchedule, { params, body: { reason: 'a\nb' } })), '400 validation_failed');
  });

  await t.test('a trigger is refused for what refuses a sync, and leaves no trace then', async (t) => {
    t.equal(refusal(await api(triggerSchedule, { params, query: { queue: true } })), '409 source_not_ready');
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    ok(await api(createStream, { params, body: { name: 'a', schema, enabled: true } }));
    t.equal(refusal(await api(triggerSchedule, { params })), '503 no_worker');
    t.strictSame(ok(await api(getSchedule, { params })).last_firings, []);
  });

  await t.test('one key makes one run, noted as asked for by its caller', async (t) => {
    const call = () => api(triggerSchedule, { params, query: { queue: true } }, { 'idempotency-key': 'one' });
    const [first, second] = [await call(), await call()];
    const { run_id } = ok(first);
    t.equal(first.headers.get('location'), `/api/v1/sources/${source_id}/sync/status?run_id=${run_id}`);
    t.equal(ok(second).run_id, run_id);
    const { last_firings } = ok(await api(getSchedule, { params }));
    t.match(last_firings, [
      { origin: 'trigger', status: 'pending', run_id, requested_by: 'pipeline_editor@demo', reason: null },
    ]);
    t.equal(last_firings.length, 1);
    t.match(await api(triggerSchedule, { params, query: { queue: true } }), {
      status: 409,
      problem: { code: 'run_already_active', run_id },
    });
    t.match(ok(await api(cancelSync, { params: { sync_run_id: run_id } })), { outcome: 'cancelled' });
  });

  await t.test('the list is paged, filtered and ordered by what runs next', async (t) => {
    const others = [];
    // Its next time is half a day away, whatever time it is.
    const offset_seconds = (Math.floor(Date.now() / 1_000) + DAY_SECONDS / 2) % DAY_SECONDS;
    ok(await put({ interval_seconds: DAY_SECONDS, offset_seconds }));
    for (const [name, interval_seconds] of [
      ['two', 60],
      ['three', DAY_SECONDS],
    ] as const) {
      const other = await filesSource(api, name, data);
      ok(await api(putSchedule, { params: { source_id: other.source_id }, body: { interval_seconds } }));
      others.push(other.source_id);
    }
    const [two = '', three = ''] = others;
    ok(await api(pauseSchedule, { params: { source_id: three } }));
    const names = async (query: object) =>
      ok(await api(listSchedules, { query })).items.map(({ source_name }) => source_name);
    t.strictSame(await names({}), ['two', 'shop', 'three'], 'what is paused comes last');
    t.strictSame(await names({ order: '-created_at' }), ['three', 'two', 'shop']);
    t.strictSame(await names({ paused: true }), ['three']);
    t.strictSame(await names({ source_id: two }), ['two']);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    t.strictSame(await names({ next_run_before: soon, paused: false }), ['two']);
    t.strictSame(await names({ next_run_after: soon }), ['shop']);
    await filesSource(api, 'four', data);
    const sources = async (schedule: 'active' | 'paused' | 'none') =>
      ok(await api(listSources, { query: { schedule, order: 'name' } })).items.map(({ name }) => name);
    t.strictSame(await sources('active'), ['shop', 'two'], 'and so is the list of sources');
    t.strictSame([await sources('paused'), await sources('none')], [['three'], ['four']]);
    const page = ok(await api(listSchedules, { query: { limit: 2 } }));
    const rest = { limit: 2, page_token: page.next_page_token ?? '' };
    t.strictSame(await names(rest), ['three']);
    t.equal(refusal(await api(listSchedules, { query: { page_token: 'x' } })), '400 invalid_page_token');
    const leap = { next_run_before: '2026-12-31T23:59:60Z' };
    t.equal(refusal(await api(listSchedules, { query: leap })), '400 validation_failed');
  });

  await t.test('what is foreign is as absent as what never was, and viewers only look', async (t) => {
    const [stranger, viewer] = [await platform.idle('other'), await platform.idle('demo', 'viewer')];
    const body = daily;
    for (const call of [
      () => stranger(getSchedule, { params }),
      () => stranger(putSchedule, { params, body }),
      () => stranger(deleteSchedule, { params }),
      () => stranger(pauseSchedule, { params, body: {} }),
      () => stranger(resumeSchedule, { params }),
      () => stranger(triggerSchedule, { params }),
      () => api(getSchedule, { params: { source_id: ABSENT } }),
      () => api(putSchedule, { params: { source_id: ABSENT }, body }),
    ])
      t.equal(refusal(await call()), '404 not_found');
    t.strictSame(ok(await stranger(listSchedules)).items, []);
    t.equal(ok(await viewer(getSchedule, { params })).source_id, source_id);
    for (const call of [
      () => viewer(putSchedule, { params, body }),
      () => viewer(deleteSchedule, { params }),
      () => viewer(pauseSchedule, { params, body: {} }),
      () => viewer(triggerSchedule, { params }),
    ])
      t.equal(refusal(await call()), '403 forbidden_role');
  });

  await t.test('a schedule that was deleted can be given again, and goes with its source', async (t) => {
    t.equal(refusal(await api(deleteSchedule, { params })), '204');
    t.equal(refusal(await api(deleteSchedule, { params })), '404 not_found');
    t.equal(ok(await api(getSource, { params })).schedule, null);
    t.equal(refusal(await put(daily, { 'if-match': '"5"' })), '412 precondition_failed');
    t.match(ok(await put(daily)), { paused: false, applied: true });
    t.equal(refusal(await api(deleteSource, { params })), '204');
    t.equal(refusal(await api(getSchedule, { params })), '404 not_found');
    t.strictSame(ok(await api(listSchedules, { query: { source_id } })).items, []);
    t.equal(refusal(await put(daily)), '404 not_found');
    const { tenantId } = await platform.tenant('demo');
    const gone = 'select 1 from schedules.schedule where deleted_at is not null and tenant_id = $1';
    t.strictSame(await platform.peek(gone, [tenantId]), []);
    // The engine is that of all tests, and would go on.
    for (const other of ok(await api(listSchedules)).items)
      t.equal(refusal(await api(deleteSchedule, { params: { source_id: other.source_id } })), '204');
  });
});
