import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { armedFaultpoints, type WorkerDoor, WorkflowEngine } from '@weir/kernel';
import { bootPlatform, startApi } from '@weir/kernel/boot';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { type Logger, pino } from 'pino';
import t, { type Test } from 'tap';
import { holdToMemory } from '../../workers/src/hold-to-memory.ts';
import { readCapacities } from '../../workers/src/process/capacity.ts';
import { loadRoles } from '../../workers/src/role/roles.ts';
import { keyFile } from '../key-file.ts';
import { platformEnvironment, platformFile } from '../platform.ts';
import { PRODUCTION_VALUES } from '../production-values.ts';
import { until } from '../until.ts';

/** Nothing listens there. */
const CLOSED_PORT = '9';
const silent = pino({ level: 'silent' });

type Changes = Record<string, string>;

const issuer = await testIssuer(t);
const database = await testDatabase(t, tools);
await database.tenant('acme');
const base = platformEnvironment({ database, issuer, folder: t.testdir({ warehouse: {} }) });
const acme = await issuer.userToken({ organizations: ['acme'], roles: ['admin'] });

async function booted(t: Test, changes: Changes = {}, own: { log?: Logger } = { log: silent }) {
  const environment = { ...base, ...changes };
  const file = environment.WEIR_PLATFORM ?? platformFile;
  const platform = await bootPlatform({ platformFile: file, environment, program: 'test', ...own });
  t.teardown(() => platform.stop());
  return platform;
}

async function served(t: Test, changes: Changes = {}) {
  const platform = await booted(t, changes);
  const api = await startApi(platform);
  t.teardown(() => api.stop());
  const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, api.url), { headers });
  return { platform, api, get };
}

/** The status of a list of a tenant's sources, asked with a token. */
async function asked(t: Test, changes: Changes, token = acme): Promise<number> {
  const { get } = await served(t, changes);
  const answer = await get('/api/v1/sources', { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme' });
  await answer.arrayBuffer();
  return answer.status;
}

const refused = (t: Test, changes: Changes, fault: RegExp) =>
  t.rejects(served(t, changes), { name: 'Refusal', message: fault });

t.test('DB_HOST, DB_PORT, DB_NAME: rows are those of that database on that server', async (t) => {
  const other = await testDatabase(t, tools);
  await other.tenant('elsewhere');
  const aliases = async (changes: Changes) =>
    (await (await booted(t, changes)).tenants.list()).map(({ alias }) => alias);
  t.strictSame(await aliases({}), ['acme']);
  t.strictSame(await aliases({ DB_NAME: other.name }), ['elsewhere']);
  await t.rejects(booted(t, { DB_HOST: '127.0.0.9' }));
  await t.rejects(booted(t, { DB_PORT: CLOSED_PORT }));
});

t.test('WORKFLOW_HOST, WORKFLOW_PORT: the engine is looked for there', async (t) => {
  const engine = async (changes: Changes, wanted: 'up' | 'down') => {
    const { get } = await served(t, changes);
    // One that is there is down as long as it takes its time on a busy machine.
    return until(`an engine that is ${wanted}`, async () => {
      const { parts } = (await (await get('/ready')).json()) as { parts?: Record<string, string> };
      return parts?.workflow_engine === wanted;
    });
  };
  t.ok(await engine({}, 'up'));
  t.ok(await engine({ WORKFLOW_HOST: '127.0.0.9' }, 'down'));
  t.ok(await engine({ WORKFLOW_PORT: CLOSED_PORT }, 'down'));
});

t.test('WORKFLOW_NAMESPACE: the engine keeps the work in that namespace', async (t) => {
  t.match(await (await booted(t)).workflows.engine(), { namespace: 'default' });
  await t.rejects((await booted(t, { WORKFLOW_NAMESPACE: 'nowhere' })).workflows.engine());
});

t.test('WORKFLOW_SOURCE_TASK_QUEUE and those of the other roles: work waits in the queue of its role', async (t) => {
  const queues = { WORKFLOW_SOURCE_TASK_QUEUE: 'of-syncs', WORKFLOW_DISCOVERY_TASK_QUEUE: 'of-discoveries' };
  const { runs, plugins } = await booted(t, {
    ...queues,
    ...{ WORKFLOW_GENERAL_TASK_QUEUE: 'of-all', WORKFLOW_TRANSFORM_TASK_QUEUE: 'of-transforms' },
    WORKFLOW_MAINTENANCE_TASK_QUEUE: 'of-maintenance',
    WORKFLOW_ONTOLOGY_SYNC_TASK_QUEUE: 'of-contract-1',
    WORKFLOW_ONTOLOGY_SYNC_V2_TASK_QUEUE: 'of-entities',
  });
  const general = plugins
    .find(({ manifest }) => manifest.id === 'webhooks')
    ?.kernel.use(WorkflowEngine)
    .queues();
  t.match(
    general?.find(({ role }) => role === 'general'),
    { queue: 'of-all' },
  );
  t.match(
    general?.find(({ role }) => role === 'transform'),
    { queue: 'of-transforms' },
  );
  t.match(
    general?.find(({ role }) => role === 'ontology-sync'),
    { queue: 'of-contract-1' },
  );
  const waitsIn = (queue: string) => ({ code: 'no_worker', details: { members: { queue } } });
  await t.rejects(runs.admit('source-sync'), waitsIn('of-syncs'));
  await t.rejects(runs.admit('source-discovery'), waitsIn('of-discoveries'));
  const { WORKFLOW_SOURCE_TASK_QUEUE: _, ...unset } = base;
  const WORKFLOW_SOURCE_TASK_QUEUE_FILE = join(t.testdir({ queue: 'of-a-file\n' }), 'queue');
  const environment = { ...unset, WORKFLOW_SOURCE_TASK_QUEUE_FILE };
  const platform = await bootPlatform({ platformFile, environment, program: 'test', log: silent });
  t.teardown(() => platform.stop());
  await t.rejects(platform.runs.admit('source-sync'), waitsIn('of-a-file'));
  await refused(t, { WORKFLOW_SOURCE_TASK_QUEUE_FILE }, /WORKFLOW_SOURCE_TASK_QUEUE and .*_FILE are both set/);
});

t.test(
  'IDP_ISSUER, WEIR_IDP_AUDIENCE, WEIR_IDP_ORG_CLAIM: a token must be of that issuer, for that API, with that claim',
  async (t) => {
    t.equal(await asked(t, {}), 200);
    t.equal(await asked(t, { IDP_ISSUER: 'http://127.0.0.1:1/other' }), 401);
    t.equal(await asked(t, { WEIR_IDP_AUDIENCE: 'another-api' }), 401);
    t.equal(await asked(t, { WEIR_IDP_ORG_CLAIM: 'teams' }), 403);
  },
);

t.test('IDP_URL, IDP_REALM: keys come from that provider and realm', async (t) => {
  const keys = await (await fetch(`${issuer.url}/keys`)).json();
  const provider = createServer((request, response) => {
    const inRealm = request.url?.startsWith('/realms/weir/') === true;
    const document = request.url === '/keys' ? keys : { issuer: issuer.url, jwks_uri: `${url}/keys` };
    response.writeHead(inRealm || request.url === '/keys' ? 200 : 404).end(JSON.stringify(document));
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => provider.close().closeAllConnections());
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  t.not(await asked(t, { IDP_URL: url }), 200, 'no key without the realm');
  t.equal(await asked(t, { IDP_URL: url, IDP_REALM: 'weir' }), 200);
});

t.test('IDP_CLIENT_ID: a start is refused when ID tokens of that client would pass for access tokens', async (t) => {
  await refused(t, { IDP_CLIENT_ID: 'weir-api' }, /WEIR_IDP_AUDIENCE must differ from IDP_CLIENT_ID/);
});

t.test('WEIR_SERVICE_PRINCIPALS: a client in it is a service with its tenants and capabilities', async (t) => {
  const token = await issuer.serviceToken('robot');
  const create = async (principals: object) => {
    const { api } = await served(t, { WEIR_SERVICE_PRINCIPALS: JSON.stringify(principals) });
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme', 'content-type': 'application/json' };
    const answer = await fetch(new URL('/api/v1/sources', api.url), { method: 'POST', headers, body: '{}' });
    return ((await answer.json()) as { code: string }).code;
  };
  const robot = (tenants: string[], capability: string) => ({ robot: { tenants, capabilities: [capability] } });
  t.equal(await create(robot(['acme'], 'source:write')), 'validation_failed', 'allowed, if the body were right');
  t.equal(await create(robot(['acme'], 'other:write')), 'capability_required');
  t.equal(await create(robot(['other'], 'source:write')), 'tenant_not_allowed');
  t.equal(await create({}), 'tenant_not_allowed', 'not a service, and of no organization');
  await refused(t, { WEIR_SERVICE_PRINCIPALS: '[]' }, /WEIR_SERVICE_PRINCIPALS must be JSON/);
});

t.test('WEIR_IDP_SERVICE_MARKS: a token is of a service when it has a mark of client credentials', async (t) => {
  const own = { azp: 'robot', organization: undefined };
  const token = (claims: object) => issuer.userToken({ organizations: [], roles: [], claims: { ...own, ...claims } });
  const principals = JSON.stringify({ robot: { tenants: ['acme'], capabilities: ['source:write'] } });
  const look = async (changes: Changes, claims: object) =>
    asked(t, { WEIR_SERVICE_PRINCIPALS: principals, ...changes }, await token(claims));
  t.equal(await look({}, { preferred_username: 'service-account-robot' }), 200);
  const marked = { WEIR_IDP_SERVICE_MARKS: '[{"kind_of_caller":"program of {client}"}]' };
  t.equal(await look(marked, { preferred_username: 'service-account-robot' }), 403);
  t.equal(await look(marked, { kind_of_caller: 'program of robot' }), 200);
  for (const wrong of ['{}', '[{}]', '[{"sub":""}]', '[{"sub":7}]'])
    await refused(t, { WEIR_IDP_SERVICE_MARKS: wrong }, /WEIR_IDP_SERVICE_MARKS must be JSON/);
});

t.test('WEIR_DB_POOL_SIZE: a process holds no more connections to the database than it says', async (t) => {
  const { database: opened } = await booted(t, { WEIR_DB_POOL_SIZE: '2' });
  const pids = await Promise.all(
    Array.from({ length: 8 }, () => opened.sql('select pg_backend_pid() as pid, pg_sleep(0.05)', [])),
  );
  t.equal(new Set(pids.map(({ rows }) => rows[0]?.pid)).size, 2);
});

t.test('WEIR_DELEGATION_CLIENTS: a client in it acts for people, within its tenants and capabilities', async (t) => {
  const of = (roles: string[]) =>
    issuer.userToken({ organizations: ['acme', 'other'], roles, claims: { azp: 'portal' } });
  const portal = { portal: { tenants: ['acme'], capabilities: ['source:write'] } };
  const { api } = await served(t, { WEIR_DELEGATION_CLIENTS: JSON.stringify(portal) });
  const create = async (roles: string[], path: string, tenant: string) => {
    const headers = { authorization: `Bearer ${await of(roles)}`, 'x-tenant-id': tenant };
    const body = { headers: { ...headers, 'content-type': 'application/json' }, method: 'POST', body: '{}' };
    return ((await (await fetch(new URL(`/api/v1${path}`, api.url), body)).json()) as { code: string }).code;
  };
  t.equal(await create(['admin'], '/sources', 'acme'), 'validation_failed', 'allowed, if the body were right');
  t.equal(await create(['viewer'], '/sources', 'acme'), 'forbidden_role');
  t.equal(await create(['admin'], '/sources', 'other'), 'tenant_not_allowed');
  t.equal(await create(['admin'], '/workflow-engine/workflows/transform', 'acme'), 'capability_required');
  await refused(t, { WEIR_DELEGATION_CLIENTS: '{"a":{}}' }, /WEIR_DELEGATION_CLIENTS must be JSON/);
  const twice = '{"a":{"tenants":"*","capabilities":[]},"a":{"tenants":[],"capabilities":[]}}';
  await refused(t, { WEIR_DELEGATION_CLIENTS: twice }, /WEIR_DELEGATION_CLIENTS must be JSON/);
});

t.test('WEIR_PLATFORM_ADMIN_ROLE: whoever holds that realm role owns what all tenants share', async (t) => {
  const look = async (role: string, changes: Changes = {}) => {
    const token = await issuer.userToken({ organizations: [], roles: [role] });
    return (await (await served(t, changes)).get('/api/v1/admission', { authorization: `Bearer ${token}` })).status;
  };
  const aliased = { WEIR_PLATFORM_ADMIN_ROLE: 'operators' };
  t.equal(await look('platform_admin'), 200);
  t.equal(await look('operators'), 403);
  t.equal(await look('operators', aliased), 200);
  t.equal(await look('platform_admin', aliased), 403);
});

t.test('CORS_ALLOWED_ORIGINS: pages of these origins may read answers, others not', async (t) => {
  const origin = 'http://127.0.0.1:5173';
  const allowed = async (changes: Changes) => {
    const answer = await (await served(t, changes)).get('/health', { origin });
    return answer.headers.get('access-control-allow-origin');
  };
  t.equal(await allowed({ CORS_ALLOWED_ORIGINS: origin }), origin);
  t.not(await allowed({ CORS_ALLOWED_ORIGINS: 'https://other.example' }), origin);
  t.equal(await allowed({}), null);
});

t.test('WEIR_HTTP_HOST, WEIR_HTTP_PORT: the API listens there', async (t) => {
  const { api } = await served(t, { WEIR_HTTP_HOST: '127.0.0.2' });
  const { hostname, port } = new URL(api.url);
  t.equal(hostname, '127.0.0.2');
  const again = await booted(t, { WEIR_HTTP_HOST: '127.0.0.2', WEIR_HTTP_PORT: port });
  await t.rejects(startApi(again), { code: 'EADDRINUSE' });
});

t.test('WEIR_RELEASE_SHA, WEIR_IMAGE_DIGEST: /health says which release answers', async (t) => {
  const { get } = await served(t, { WEIR_RELEASE_SHA: 'abc123', WEIR_IMAGE_DIGEST: 'sha256:def' });
  t.strictSame(await (await get('/health')).json(), { release_sha: 'abc123', image_digest: 'sha256:def' });
});

t.test('WEIR_LOG_LEVEL: lines below it are not written', async (t) => {
  const { log } = await booted(t, { WEIR_LOG_LEVEL: 'error' }, {});
  t.equal(log.isLevelEnabled('error'), true);
  t.equal(log.isLevelEnabled('warn'), false);
});

t.test('WEIR_MODE: plugins are told the mode, by which they refuse what is for development', async (t) => {
  const key = { ...PRODUCTION_VALUES, WEIR_CREDENTIAL_KEY_FILE: keyFile(t.testdir()) };
  for (const mode of ['development', 'staging', 'production'])
    for (const { kernel } of (await booted(t, { WEIR_MODE: mode, ...key })).plugins) t.equal(kernel.mode, mode);
});

t.test('WEIR_FAULTPOINTS → armed by a boot in development alone, however the mode is given', async (t) => {
  const folder = t.testdir({ mode: 'production\n' });
  const key = { ...PRODUCTION_VALUES, WEIR_CREDENTIAL_KEY_FILE: keyFile(folder), WEIR_FAULTPOINTS: folder };
  const { WEIR_MODE: _, ...unset } = base;
  const armedBy = async (mode: Changes) => {
    const environment = { ...unset, ...key, ...mode };
    const platform = await bootPlatform({ platformFile, environment, program: 'test', log: silent });
    t.teardown(() => platform.stop());
    return armedFaultpoints();
  };
  t.equal(await armedBy({ WEIR_MODE: 'development' }), folder);
  t.equal(await armedBy({}), undefined, 'production is the default');
  t.equal(await armedBy({ WEIR_MODE_FILE: join(folder, 'mode') }), undefined);
  t.equal(await armedBy({ WEIR_MODE: 'staging' }), undefined);
});

t.test(
  'in production a worker without its engine, and any program with waivers of one, refuses the start',
  async (t) => {
    const production = { ...PRODUCTION_VALUES, WEIR_MODE: 'production' };
    const key = { ...production, WEIR_CREDENTIAL_KEY_FILE: keyFile(t.testdir()) };
    await t.rejects(booted(t, { ...key, WEIR_ENGINE_WAIVERS: 'rootful,limits' }), {
      message: /WEIR_ENGINE_WAIVERS must be empty/,
    });
    const platform = await booted(t, key);
    const plugin = platform.plugins.find(({ manifest }) => manifest.id === 'sources');
    if (plugin === undefined) throw new Error('the plugin is not there');
    const children = { started: () => undefined, ended: () => undefined };
    const given = { kernel: plugin.kernel, children, workDir: t.testdir(), slotMiB: 512 };
    for (const [entry, setting] of [
      ['./worker', 'SOURCE_SOCKET_DIR'],
      ['./discovery-worker', 'DISCOVERY_SOCKET_DIR'],
    ] as const) {
      const { worker } = (await platform.importDoor(plugin, entry)) as { worker: WorkerDoor };
      t.throws(() => worker.activities(given), { message: new RegExp(`${setting} is required`) });
    }
  },
);

t.test('a worker with more slots than its memory holds refuses the start, and in development warns', async (t) => {
  const slots = { WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES: '9', WORKFLOW_SOURCE_ACTIVITY_MAX_WORKERS: '9' };
  const key = { ...PRODUCTION_VALUES, WEIR_CREDENTIAL_KEY_FILE: keyFile(t.testdir()) };
  const of = (memoryMiB: number) => ({ memoryMiB, filesMiB: 0 });
  const said = /^configuration.*WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES is 9, .* 4608 MiB .*: 8 of them do/;
  for (const mode of ['staging', 'production']) {
    const platform = await booted(t, { WEIR_MODE: mode, ...key });
    const roles = (given: object) => loadRoles(platform, readCapacities(['source', 'discovery'], { ...given }));
    const tooMany = await roles(slots);
    t.throws(() => holdToMemory(platform, tooMany, of(4_608)), { message: said }, mode);
    holdToMemory(platform, tooMany, of(5_120));
    holdToMemory(platform, await roles({}), of(4_608));
  }
  const lines: string[] = [];
  const { settings } = await booted(t);
  const roles = await loadRoles(await booted(t), readCapacities(['source'], slots));
  holdToMemory({ settings, log: pino({}, { write: (line) => void lines.push(line) }) }, roles, of(4_608));
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ level: 40, faults: [/8 of them do/], msg: /more slots/ }],
  );
});

t.test('WEIR_PLATFORM: the manifest decides which patterns there are', async (t) => {
  const manifest = JSON.parse(await readFile(platformFile, 'utf8')) as object;
  const files = JSON.parse(await readFile(new URL('../../connectors/files/pattern.json', import.meta.url), 'utf8'));
  const folder = t.testdir({
    'platform.json': JSON.stringify({ ...manifest, patterns: ['own'] }),
    own: { 'pattern.json': JSON.stringify({ ...files, id: 'own' }) },
  });
  const patterns = async (changes: Changes) => {
    const { get } = await served(t, changes);
    const answer = await get('/api/v1/patterns/discover', { authorization: `Bearer ${acme}`, 'x-tenant-id': 'acme' });
    return ((await answer.json()) as { items: { pattern_id: string }[] }).items.map(({ pattern_id }) => pattern_id);
  };
  const before = await patterns({});
  t.ok(before.includes('files') && !before.includes('own'));
  const after = await patterns({ WEIR_PLATFORM: join(folder, 'platform.json') });
  t.ok(after.includes('own'));
});

t.test('TABLE_CATALOG: tables are those of the catalog of that name', async (t) => {
  const { get } = await served(t);
  const { get: getSecond } = await served(t, { TABLE_CATALOG: 'second' });
  const [tenant] = await database.peek(`select tenant_id from kernel.tenant where alias = 'acme'`);
  await database.peek(
    `insert into catalog.iceberg_tables values ('second', 'bronze.acme', 'orders', '/nowhere', null, 'TABLE')`,
  );
  await database.peek(
    `insert into datasets.producer (tenant_id, namespace, table_name, kind, producer_id)
    values ($1, 'bronze.acme', 'orders', 'source', $2)`,
    [tenant?.tenant_id, randomUUID()],
  );
  const ids = async (look: typeof get) => {
    const answer = await look('/api/v1/datasets', { authorization: `Bearer ${acme}`, 'x-tenant-id': 'acme' });
    return ((await answer.json()) as { items: { dataset_id: string }[] }).items.map(({ dataset_id }) => dataset_id);
  };
  t.strictSame(await ids(get), []);
  t.strictSame(await ids(getSecond), ['bronze.acme.orders']);
});
