import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';
import { IDS } from './shapes.ts';

const { source } = IDS;
const AT = `/api/v1/sources/${source}/schedule`;
const at = '2026-11-23T04:30:00.000Z';

const schedule = {
  ...{
    source_id: source,
    source_name: 'shop',
    cron: ['30 6 * * 1-5'],
    interval_seconds: null,
    timezone: 'Europe/Kyiv',
  },
  ...{ sentence: 'At 06:30, Monday through Friday, by the clocks of Europe/Kyiv', paused: false, applied: true },
  next_run_at: at,
  next_runs: [{ at, local: '2026-11-23T06:30:00+02:00' }],
  clock_changes: [{ at, effect: 'skipped', wall_times: ['03:30'], note: 'On 2027-03-28 the clocks go forward.' }],
  last_firings: [
    {
      firing_id: source,
      scheduled_at: at,
      origin: 'schedule',
      status: 'skipped',
      run_id: null,
      reason: { detail: 'A sync was running.' },
    },
  ],
};

t.test('a schedule is set, shown by the clocks of its zone and in UTC, paused, triggered and taken away', async (t) => {
  const ok = (more: object = {}) => ({ status: 200, body: { ...schedule, ...more } });
  const api = await fakeApi(t, {
    [`GET ${AT}`]: ok(),
    [`PUT ${AT}`]: ok({ applied: false }),
    [`DELETE ${AT}`]: { status: 204 },
    [`POST ${AT}/pause`]: ok({ paused: true, pause_reason: 'moving', next_runs: [], next_run_at: null }),
    [`POST ${AT}/resume`]: ok(),
    [`POST ${AT}/trigger`]: { status: 202, body: { workflow_id: 'w', run_id: source, warning: null } },
    'POST /api/v1/schedule-preview': {
      status: 200,
      body: { ...schedule, last_firings: undefined, applied: undefined },
    },
    'GET /api/v1/schedules': { status: 200, body: { items: [schedule], next_page_token: null, total: null } },
  });
  const { weir: run } = commandLine(t);
  const weir = (...args: string[]) => run([...args, '--url', api.url]);
  const shown = await weir('sources', 'schedule', 'get', source);
  t.match(shown, {
    code: 0,
    stdout: /2026-11-23 06:30:00\s+\+02:00\s+2026-11-23T04:30:00.000Z/,
    stderr: /clocks: On 2027/,
  });
  t.match(shown.stdout, /skipped\s+A sync was running\./);
  const every = ['--every', '1h', '--offset', '15m', '--jitter', '30s', '--catchup', '10m', '--overlap', 'buffer_one'];
  t.match(await weir('sources', 'schedule', 'set', source, ...every), { code: 0, stderr: /does not have it yet/ });
  t.match(api.seen.at(-1)?.body, {
    ...{ interval_seconds: 3_600, offset_seconds: 900, jitter_seconds: 30 },
    ...{ catchup_window_seconds: 600, overlap: 'buffer_one' },
  });
  await weir('sources', 'schedule', 'set', source, '--cron', '0 6 * * 1', '--cron', '0 7 * * 2', '--tz', 'Europe/Kyiv');
  t.strictSame(api.seen.at(-1)?.body, { cron: ['0 6 * * 1', '0 7 * * 2'], timezone: 'Europe/Kyiv' });
  const tried = await weir('sources', 'schedule', 'set', source, '--every', '1h', '--overlap', 'skip', '--dry-run');
  t.match(tried, { code: 0, stdout: /2026-11-23 06:30:00/, stderr: /clocks: On 2027/ });
  t.match(
    api.seen.at(-1),
    { call: 'POST /api/v1/schedule-preview', body: { interval_seconds: 3_600 } },
    'and nothing is set',
  );
  t.match(await weir('sources', 'schedule', 'pause', source, '--reason', 'moving'), { code: 0, stdout: /moving/ });
  t.strictSame(api.seen.at(-1)?.body, { reason: 'moving' });
  t.match(await weir('sources', 'schedule', 'resume', source), { code: 0 });
  t.match(await weir('sources', 'schedule', 'trigger', source, '--queue'), { code: 0, stdout: new RegExp(source) });
  t.match(await weir('sources', 'schedule', 'delete', source, '--yes'), { code: 0 });
  t.match(await weir('schedules', 'list'), { code: 0, stdout: /shop .*2026-11-23T06:30:00\+02:00 +skipped/ });
  t.match(await weir('sources', 'schedule', 'set', source), { code: 2, stderr: /--cron/ });
  t.match(await weir('sources', 'schedule', 'set', source, '--every', 'often'), { code: 2 });
});

t.test('a source without a schedule is not found, and one that cannot be is an invalid document', async (t) => {
  const errors = [{ pointer: '/cron/0', code: 'not_cron' }];
  const api = await fakeApi(t, { [`PUT ${AT}`]: problem(422, 'schedule_invalid', { errors }) });
  const { weir: run } = commandLine(t);
  const weir = (...args: string[]) => run([...args, '--url', api.url]);
  t.match(await weir('sources', 'schedule', 'get', source), { code: 4 });
  t.match(await weir('sources', 'schedule', 'set', source, '--cron', 'x'), { code: 6, stderr: /\/cron\/0: not cron/ });
});
