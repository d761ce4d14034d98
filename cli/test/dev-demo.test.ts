import { Writable } from 'node:stream';
import stringWidth from 'string-width';
import t, { type Test } from 'tap';
import { PATIENT_MS } from '../../test/until.ts';
import { openApi } from '../src/connection/api.ts';
import { runDemo } from '../src/dev/demo/demo.ts';
import { DEMO_FILES } from '../src/dev/demo/demo-data.ts';
import { reporter } from '../src/dev/parts/reporter.ts';
import { timings } from '../src/dev/parts/timings.ts';
import { NARROW } from '../src/output/fit.ts';
import { type Answer, fakeApi, problem, type Routes } from './fake-api.ts';
import { IDS, run, sources } from './shapes.ts';

const { source, runId } = IDS;
const AT = `/api/v1/sources/${source}`;
const ok = (body: unknown, status = 200): Answer => ({ status, body });
const page = (items: object[]) => ok({ items, next_page_token: null, total: null });
const streams = DEMO_FILES.map(({ stream: name }, at) => ({ stream_id: `s${at}`, name, namespace: null }));
const ended = (rows: number) =>
  DEMO_FILES.map(({ stream: name, table }) => ({
    ...{ name, status: 'succeeded', rows_read: rows, rows_written: rows, commits: 1 },
    ...{ dataset_id: `bronze.demo.${table}`, snapshot_id: '9223372036854775807' },
  }));
const rowsWritten = (rows: number) =>
  ok({ run: { ...run(source, 'succeeded'), rows_written: rows, streams: ended(rows) } });

const ROUTES: Routes = {
  [`POST ${AT}/sync`]: ok({ workflow_id: 'w', run_id: runId }, 202),
  [`GET ${AT}/sync/status`]: rowsWritten(3),
  'GET /api/v1/datasets/bronze.demo.vega__seattle_weather/preview': ok({
    ...{ columns: [{ name: 'date' }, { name: 'temp_max' }], next_page_token: null },
    rows: Array.from({ length: 60 }, (_, day) => [`2012-01-${day}`, day]),
  }),
  'GET /api/v1/pipelines': page([{ pipeline_id: source, active_version: 1 }]),
  [`POST /api/v1/pipelines/${source}/run`]: ok({ workflow_id: 'w', run_id: runId }, 202),
  [`GET /api/v1/pipelines/${source}/runs/${runId}`]: ok({
    run_id: runId,
    status: 'succeeded',
    failure: null,
    outputs: [{}, {}, {}],
    steps: [{ output: 'gold.demo.flight_delays', rows: '60', checks: [{ status: 'passed' }] }],
  }),
  'GET /api/v1/datasets/gold.demo.flight_delays/preview': ok({
    ...{ columns: [{ name: 'day' }, { name: 'delay' }], next_page_token: null },
    rows: Array.from({ length: 60 }, (_, day) => [`2001-01-${day}`, day % 9]),
  }),
};

/** Runs the demo against an API; what it said, and what it asked the API to change. */
async function demo(t: Test, more: Routes) {
  const fake = await fakeApi(t, { ...ROUTES, ...more });
  const { signal: interrupted } = new AbortController();
  const said: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  await runDemo({
    api: openApi({ url: fake.url, tenant: 'demo', token: 'x' }, { interrupted, timeoutMs: PATIENT_MS }),
    ...{ report: reporter(stderr, false), timings: timings(performance.timeOrigin), stderr, interrupted },
  });
  const changes = fake.seen.map(({ call }) => call).filter((call) => !call.startsWith('GET'));
  return { said: said.join(''), changes, seen: fake.seen };
}

t.test('a first start makes the source of the demo and reads its three files', async (t) => {
  const { said, changes, seen } = await demo(t, {
    'GET /api/v1/sources': page([]),
    'POST /api/v1/sources': ok(sources(source, 'vega'), 201),
    'POST /api/v1/sources/discover': ok({ workflow_id: 'w', run_id: runId, warning: null }, 202),
    'GET /api/v1/sources/discover/status/w': ok({
      run_id: runId,
      status: 'succeeded',
      is_terminal: true,
      streams: [],
      warnings: [],
    }),
    [`GET ${AT}/streams`]: page(streams),
    ...Object.fromEntries(streams.map((one) => [`PATCH ${AT}/streams/${one.stream_id}`, ok(one)])),
  });
  t.match(said, /3 streams of public data[\s\S]*sync: 3 rows[\s\S]*daily high in Seattle .*\n *[▁▂▃▄▅▆▇█]{20}/);
  t.match(
    said,
    /60 rows → gold.demo.flight_delays\n.*3 tables, 1 of 1 checks passed[\s\S]*delay of flights .*\n *[▁▂▃▄▅▆▇█]{20}/,
  );
  for (const line of said.split('\n')) t.ok(stringWidth(line) <= NARROW, line);
  t.equal(changes.filter((call) => call.startsWith('PATCH')).length, DEMO_FILES.length);
  t.match(seen.find(({ call }) => call.startsWith('PATCH'))?.body, { enabled: true, sync_mode: 'incremental' });
});

t.test(
  'a start without a pipeline makes, validates, rehearses and activates it, and promotes the rehearsal',
  async (t) => {
    const at = `/api/v1/pipelines/${source}`;
    const made = { transform_id: source, artifact_id: null };
    const { changes, seen } = await demo(t, {
      'GET /api/v1/sources': page([{ ...sources(source, 'vega'), streams_enabled: DEMO_FILES.length }]),
      'GET /api/v1/pipelines': page([]),
      'GET /api/v1/transforms': page([]),
      'POST /api/v1/transforms': ok(made, 201),
      [`POST /api/v1/transforms/${source}/hydrate`]: ok(made),
      'POST /api/v1/pipelines': ok({ pipeline_id: source, active_version: null }, 201),
      'POST /api/v1/pipelines/validate-dag': ok({ valid: true }),
      [`POST ${at}/sandbox`]: ok({ workflow_id: 'w', run_id: runId }, 202),
      [`POST ${at}/activate`]: ok({ pipeline_id: source, active_version: 1 }),
    });
    t.strictSame(changes.slice(-5), [
      'POST /api/v1/pipelines',
      'POST /api/v1/pipelines/validate-dag',
      `POST ${at}/sandbox`,
      `POST ${at}/activate`,
      `POST ${at}/run`,
    ]);
    t.match(seen.find(({ call }) => call === `POST ${at}/run`)?.body, { promote_run_id: runId });
  },
);

t.test('a later start finds its source again, syncs it, and says that there are no new rows', async (t) => {
  const known = { ...sources(source, 'vega'), streams_enabled: DEMO_FILES.length };
  const { said, changes } = await demo(t, {
    'GET /api/v1/sources': page([known]),
    [`GET ${AT}/sync/status`]: rowsWritten(0),
  });
  t.match(said, /sync: no new rows/);
  t.strictSame(changes, [`POST ${AT}/sync`, `POST /api/v1/pipelines/${source}/run`]);
});

t.test('a start joins the sync that one before it has left going', async (t) => {
  const known = { ...sources(source, 'vega'), streams_enabled: DEMO_FILES.length };
  const { said } = await demo(t, {
    'GET /api/v1/sources': page([known]),
    [`POST ${AT}/sync`]: problem(409, 'run_already_active'),
  });
  t.match(said, /sync: 3 rows/);
});
