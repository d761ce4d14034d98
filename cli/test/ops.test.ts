import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, problem, type Routes } from './fake-api.ts';

const NOW = '2026-01-02T03:04:05Z';
const admission = { open: false, reason: 'release', changed_by: 'ada', changed_at: NOW, etag: '7' };
const part = (name: string, status: string) => ({ name, status, since: NOW, checked_at: NOW });
const extra = { plugin_id: 'extra', version: '1.0.0', tenancy: 'opt-in', enabled: true };
const chosen = { ...extra, tenant: 'acme', changed_by: 'ada', changed_at: NOW };
const page = (items: object[]) => ({ status: 200, body: { items, next_page_token: null, total: items.length } });

const start = async (t: Parameters<typeof fakeApi>[0], routes: Routes) => {
  const api = await fakeApi(t, routes);
  const { weir } = commandLine(t);
  return { ...api, host: new URL(api.url).host, weir: (line: string) => weir([...line.split(' '), '--url', api.url]) };
};

t.test('ops health shows each part, and ends with 69 when one is down', async (t) => {
  const health = (items: { status: string }[]) => ({
    ...{ status: 200, body: { healthy: items.every(({ status }) => status === 'up'), items } },
  });
  const up = await start(t, { 'GET /api/v1/services/health': health([part('database', 'up')]) });
  t.match(await up.weir('ops health'), { code: 0, stdout: /^NAME +STATUS +SINCE +CHECKED_AT\ndatabase +up/ });
  const down = await start(t, {
    'GET /api/v1/services/health': health([part('database', 'up'), part('engine', 'down')]),
  });
  t.match(await down.weir('ops health'), { code: 69, stdout: /\nengine +down/ });
  t.match(await down.weir('ops health -o json --query items[1].status'), { code: 69, stdout: '"down"\n' });
});

t.test('ops metrics lists the figures, and ops status the platform', async (t) => {
  const items = [{ name: 'weir_runs_total', type: 'counter', labels: { status: 'failed' }, value: 3 }];
  const { weir } = await start(t, {
    'GET /api/v1/metrics': { status: 200, body: { items } },
    'GET /api/v1/status': { status: 200, body: { version: '1.2.3', parts: { database: 'up' } } },
  });
  t.match(await weir('ops metrics'), {
    code: 0,
    stdout: /^NAME +LABELS +VALUE\nweir_runs_total +\{"status":"failed"\} +3\n$/,
  });
  t.match(await weir('ops status'), { code: 0, stdout: /^version +1\.2\.3\nparts +\{"database":"up"\}\n$/ });
});

t.test('ops admission shows the switch, turns it, and says where', async (t) => {
  const { weir, seen, host } = await start(t, {
    'GET /api/v1/admission': { status: 200, body: admission },
    'PUT /api/v1/admission': { status: 200, body: admission },
    'GET /api/v1/admission/changes': page([{ change_id: '1', ...admission }]),
  });
  t.match(await weir('ops admission'), { code: 0, stdout: /^open +false\nreason +release\n/ });
  t.match(await weir('ops admission close --reason release'), {
    code: 0,
    stderr: `admission is closed for all tenants at ${host}\n`,
  });
  t.match(await weir('ops admission open'), { code: 0, stderr: /is open for all tenants/ });
  t.match(await weir('ops admission changes'), { code: 0, stdout: /^CHANGED_AT +OPEN +REASON +CHANGED_BY\n/ });
  t.strictSame(
    seen.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body),
    [{ open: false, reason: 'release' }, { open: true }],
  );
});

t.test('plugins list shows the own tenant, or another one by --for', async (t) => {
  const { weir } = await start(t, {
    'GET /api/v1/plugins': page([{ ...extra, permissions: [], routes: 2 }]),
    'GET /api/v1/tenants/acme/plugins': page([chosen]),
  });
  t.match(await weir('plugins list'), {
    code: 0,
    stdout: /^PLUGIN_ID +VERSION +TENANCY +ENABLED +ROUTES\nextra .* true +2\n$/,
  });
  t.match(await weir('plugins list --for acme'), {
    code: 0,
    stdout: /ENABLED +CHANGED_BY +CHANGED_AT\nextra .* true +ada/,
  });
});

t.test('plugins enable and disable name the tenant; taking away asks first', async (t) => {
  const { weir, seen, host } = await start(t, {
    'PUT /api/v1/tenants/acme/plugins/extra': { status: 200, body: chosen },
    'PUT /api/v1/tenants/acme/plugins/datasets': problem(409, 'plugin_not_optional'),
  });
  t.match(await weir('plugins enable extra --for acme'), { code: 0, stderr: `extra is on for acme at ${host}\n` });
  t.match(await weir('plugins disable extra --for acme'), {
    code: 2,
    stderr: new RegExp(`Take the plugin extra away from acme at ${host}`),
  });
  t.match(await weir('plugins disable extra --for acme --yes'), { code: 0, stderr: /extra is off for acme/ });
  t.match(await weir('plugins disable datasets --for acme --yes'), { code: 5, stderr: /plugin_not_optional/ });
  t.equal((await weir('plugins enable extra')).code, 2, 'for whom must be said');
  t.strictSame(
    seen.map(({ body }) => body),
    [{ enabled: true }, { enabled: false }, { enabled: false }],
  );
});
