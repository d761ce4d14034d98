import { bootPlatform, startApi } from '@weir/kernel/boot';
import { call } from '@weir/kernel/contract';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { platformEnvironment, platformFile } from '../../../test/platform.ts';
import { getMetrics, getServicesHealth, getStatus, listPlugins } from '../src/contract.ts';
import { readStream } from './event-reader.ts';
import { bodyOf } from './kit.ts';

/** The deployed platform, with processes that the test can start and stop. */
async function deployment(t: Test) {
  const database = await testDatabase(t, tools);
  const issuer = await testIssuer(t);
  for (const alias of ['acme', 'other']) await database.tenant(alias);
  const services = {
    watcher: { tenants: '*', capabilities: ['metrics:read'] },
    other: { tenants: '*', capabilities: [] },
  };
  const environment = {
    ...platformEnvironment({ database, issuer, folder: t.testdir() }),
    WEIR_SERVICE_PRINCIPALS: JSON.stringify(services),
  };
  const boot = () => bootPlatform({ platformFile, environment, program: 'test', log: pino({ level: 'silent' }) });
  const user = (role: string, alias = 'acme') => issuer.userToken({ organizations: [alias], roles: [role] });
  return { database, issuer, boot, user };
}

/** The API as a process of its own has it. */
async function serve(t: Test, { boot }: Awaited<ReturnType<typeof deployment>>) {
  const platform = await boot();
  const api = await startApi(platform);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= api.stop().then(() => platform.stop());
    return stopped;
  };
  t.teardown(stop);
  return { api, platform, stop };
}

/** A worker is the same plugins without a server: it takes a run, ends it, and stops. */
async function workOnce({ boot, database }: Awaited<ReturnType<typeof deployment>>): Promise<void> {
  const worker = await boot();
  const tenant = await database.tenant('acme');
  const runId = '018f4a6e-0000-7000-8000-000000000001';
  await database.peek(
    `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
     values ($1, $2, 'source-sync', $2, true, 'pending', 'none', 'test')`,
    [tenant.tenantId, runId],
  );
  await worker.runs.begin(tenant, runId);
  await worker.runs.finish(tenant, runId, { status: 'succeeded' });
  await worker.stop();
}

const deployed = await deployment(t);

t.test('answers are counted over every process that has ever run, and read by whoever may', async (t) => {
  const first = await serve(t, deployed);
  const viewer = { token: await deployed.user('viewer'), tenant: 'acme' };
  for (let n = 0; n < 3; n += 1) await call(getStatus, {}, { url: first.api.url, ...viewer });
  await first.stop();
  const second = await serve(t, deployed);
  await call(getStatus, {}, { url: second.api.url, ...viewer });
  await workOnce(deployed);
  const url = second.api.url;
  const token = await deployed.issuer.serviceToken('watcher');
  const { items } = bodyOf(await call(getMetrics, {}, { url, token }));
  const find = (name: string, labels: object) =>
    items.find((item) => item.name === name && JSON.stringify(item.labels) === JSON.stringify(labels));
  t.match(find('weir_http_requests_total', { operation: 'platform.get_status', status: '2xx' }), { value: 4 });
  t.match(find('weir_http_request_duration_seconds_count', { operation: 'platform.get_status' }), { value: 4 });
  t.match(find('weir_runs_total', { kind: 'source-sync', status: 'succeeded' }), { value: 1 });
  t.ok(items.some(({ name }) => name === 'weir_event_streams'));
  t.match(await call(getMetrics, {}, { url, token: await deployed.issuer.serviceToken('other') }), {
    ...{ status: 403, problem: { code: 'capability_required' } },
  });
  t.match(await call(getMetrics, {}, { url, token: await deployed.user('platform_admin') }), { ok: true });
});

t.test('the number of series is the same for one tenant and for five hundred', async (t) => {
  const { api, platform } = await serve(t, deployed);
  const ask = (alias: string) => api.app.inject({ url: '/api/v1/status', headers: { 'x-tenant-id': alias } });
  const series = async () => {
    const families = await platform.metrics.counted();
    return families.reduce((sum, { values }) => sum + values.length, 0);
  };
  await ask('tenant0');
  const one = await series();
  for (let n = 0; n < 500; n += 1) await ask(`tenant${n}`);
  t.equal(await series(), one);
});

t.test('open streams do not keep the API from stopping', async (t) => {
  const { api, stop } = await serve(t, deployed);
  const headers = { authorization: `Bearer ${await deployed.user('viewer')}`, 'x-tenant-id': 'acme' };
  const readers = [];
  for (let n = 0; n < 5; n += 1) readers.push(await readStream(`${api.url}/api/v1/events`, headers));
  for (const reader of readers) t.match(await reader.opened(), /^\d+-0$/);
  await stop();
  // A connection that is cut when the time for draining is over would throw here.
  for (const reader of readers) t.equal(await reader.next(), undefined);
});

t.test('what is loaded is told alike to all tenants: plugins, parts, and one document of the API', async (t) => {
  const { api, platform } = await serve(t, deployed);
  const seen = async (alias: string) => {
    const who = { url: api.url, token: await deployed.user('viewer', alias), tenant: alias };
    const document = await fetch(new URL('/openapi.json', api.url), {
      headers: { authorization: `Bearer ${who.token}`, 'x-tenant-id': alias },
    });
    const health = bodyOf(await call(getServicesHealth, {}, who));
    return {
      document: await document.text(),
      plugins: bodyOf(await call(listPlugins, {}, who)),
      names: health.items.map(({ name }) => name),
    };
  };
  const [acme, other] = [await seen('acme'), await seen('other')];
  t.strictSame(acme, other);
  t.strictSame(
    acme.plugins.items.map(({ plugin_id }) => plugin_id).toSorted(),
    platform.plugins.map(({ manifest }) => manifest.id).toSorted(),
  );
  for (const { plugin_id, routes } of acme.plugins.items)
    t.equal(routes, api.app.declaredRoutes.filter(({ plugin }) => plugin === plugin_id).length, plugin_id);
  t.strictSame(acme.names.slice(0, 2), ['database', 'workflow_engine']);
  const { paths } = JSON.parse(acme.document) as {
    paths: Record<string, Record<string, { requestBody: object; responses: { 200: { content: object } } }>>;
  };
  const bodyAt = (path: string, method = 'post') => paths[`/api/v1/${path}`]?.[method]?.requestBody;
  for (const path of [
    'sources/{source_id}/schedule/pause',
    'sources/{source_id}/credentials/migrate',
    'workflow-engine/workflows/{workflow_id}/wait',
  ])
    t.match(bodyAt(path), { required: false }, path);
  t.match(bodyAt('sources/{source_id}/schedule', 'put'), { required: true });
  t.strictSame(Object.keys(paths['/api/v1/metrics']?.get?.responses[200].content ?? {}), [
    'text/plain; version=0.0.4',
    'application/json',
  ]);
  t.match(paths['/api/v1/events']?.get?.responses[200].content, {
    'text/event-stream': {},
    'application/json': { schema: {} },
  });
});
