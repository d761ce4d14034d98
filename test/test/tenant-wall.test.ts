import { randomUUID } from 'node:crypto';
import * as tools from '@weir/migrations';
import { createSource, startDiscovery, startSync } from '@weir/plugin-sources/contract';
import t from 'tap';
import { type TestPlatform, testPlatform } from '../platform.ts';

const MALFORMED = ['not-an-id', '..%2f..%2fetc', "x'%20or%20'1'='1", '%00', 'a'.repeat(400)];
const FOLDER_WITH_DATA = new URL('../fixtures/shop', import.meta.url).pathname;

/** Ids of one tenant's things, by the name that paths give them. */
type Ids = Record<string, string>;

/** Gives a tenant one of everything that a path can name. */
async function furnish(world: TestPlatform, alias: string): Promise<Ids> {
  const who = { token: await world.token(alias), tenant: alias };
  const made = await world.call(who, createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path: FOLDER_WITH_DATA } },
  });
  if (!made.ok) throw new Error(`source: ${made.problem.code}`);
  const { source_id } = made.body;
  const [tenant] = await world.database.peek('select tenant_id, scope from kernel.tenant where alias = $1', [alias]);
  const stream_id = randomUUID();
  await insertStream(world, {
    tenant_id: String(tenant?.tenant_id),
    source_id,
    stream_id,
    scope: String(tenant?.scope),
  });
  const discovery = await world.call(who, startDiscovery, { body: { source_id }, query: { queue: true } });
  if (!discovery.ok) throw new Error(`discovery: ${discovery.problem.code}`);
  return {
    source_id,
    stream_id,
    workflow_id: discovery.body.workflow_id,
    run_id: discovery.body.run_id,
    ...(await insertRuns(world, { tenant_id: String(tenant?.tenant_id), source_id, stream_id })),
    dataset_id: `bronze.${tenant?.scope}.shop__orders`,
    pattern_id: 'files',
    code: 'not_found',
  };
}

async function insertStream(world: TestPlatform, ids: Ids): Promise<void> {
  const columns = await world.database.peek(
    `select column_name, data_type, is_nullable, column_default from information_schema.columns
     where table_schema = 'sources' and table_name = 'stream'`,
  );
  const known: Record<string, unknown> = {
    ...ids,
    name: 'orders',
    schema: '{"type":"object"}',
    supported_sync_modes: '["full_refresh"]',
    sync_mode: 'full_refresh',
    write_mode: 'overwrite',
    destination_namespace: `bronze.${ids.scope}`,
    destination_table: 'shop__orders',
  };
  const filler: Record<string, unknown> = {
    boolean: false,
    integer: 1,
    json: '{}',
    jsonb: '{}',
    text: 'x',
    'timestamp with time zone': new Date(),
  };
  const given = columns.filter(
    (c) => String(c.column_name) in known || (c.is_nullable === 'NO' && c.column_default === null),
  );
  const names = given.map((c) => String(c.column_name));
  const values = given.map((c) => known[String(c.column_name)] ?? filler[String(c.data_type)]);
  await world.database.peek(
    `insert into sources.stream (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    values,
  );
  await world.database.peek(
    `insert into datasets.producer (tenant_id, namespace, table_name, kind, producer_id) values ($1, $2, 'shop__orders', 'source', $3)`,
    [ids.tenant_id, `bronze.${ids.scope}`, ids.source_id],
  );
}

/** A sync and a replay that have ended. */
async function insertRuns(world: TestPlatform, { tenant_id, source_id, stream_id }: Ids): Promise<Ids> {
  const ended = async (kind: string): Promise<string> => {
    const run_id = randomUUID();
    await world.database.peek(
      `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
       values ($1, $2, $3, $4, true, 'succeeded', $5, 'test')`,
      [tenant_id, run_id, kind, source_id, `${tenant_id}:${kind}:${run_id}`],
    );
    return run_id;
  };
  const [sync_run_id, replay_run_id] = [await ended('source-sync'), await ended('quarantine_replay')];
  await world.database.peek(
    `insert into sources.sync_run (tenant_id, run_id, source_id, phase, created_at, updated_at)
     values ($1, $2, $3, 'ended', now(), now())`,
    [tenant_id, sync_run_id, source_id],
  );
  await world.database.peek(`insert into sources.receipt (tenant_id, run_id, document) values ($1, $2, '{}')`, [
    tenant_id,
    sync_run_id,
  ]);
  await world.database.peek(
    `insert into sources.quarantine_replay (tenant_id, run_id, stream_id, request) values ($1, $2, $3, '{}')`,
    [tenant_id, replay_run_id, stream_id],
  );
  return { sync_run_id, replay_run_id };
}

/** What an answer says apart from what must differ between any two requests. */
async function answerOf(
  world: TestPlatform,
  path: string,
  method: string,
  headers: Record<string, string>,
): Promise<string> {
  const hasBody = method === 'PATCH' || method === 'POST' || method === 'PUT';
  const answer = await fetch(new URL(path, world.api.url), {
    method,
    // Some routes would rather answer with a stream that never ends.
    headers: { accept: 'application/json', ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: '{}' } : {}),
  });
  const body = (await answer.text()).replace(/"trace_id":"[0-9a-f]+"/, '"trace_id":"-"');
  const kept = ['content-type', 'content-length', 'cache-control', 'etag', 'location', 'allow', 'www-authenticate'];
  return JSON.stringify([answer.status, kept.map((name) => answer.headers.get(name)), body]);
}

t.test(
  'for every route a foreign id answers exactly as an absent one, and a malformed id never reaches a row',
  async (t) => {
    const world = await testPlatform(t, t.testdir());
    const own = await furnish(world, 'acme');
    const foreign = await furnish(world, 'other');
    const headers = { authorization: `Bearer ${await world.token('acme')}`, 'x-tenant-id': 'acme' };
    const before = await world.database.peek(DUMP, [await tenantId(world, 'other')]);
    let walked = 0;
    for (const { method, endpoint } of world.api.app.declaredRoutes) {
      if (endpoint.access.kind !== 'tenant') continue;
      const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
      const at = (ids: Ids, absent = false) =>
        `/api/v1${endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((absent ? absentId(name, own) : ids[name]) ?? 'unknown'))}`;
      const anonymous = JSON.parse(await answerOf(world, at(own), method, {}));
      t.match(anonymous, [401], `${method} ${endpoint.path} without a token`);
      for (const name of names) {
        if (['pattern_id', 'code'].includes(name)) continue;
        const swapped = await answerOf(world, at({ ...own, [name]: foreign[name] ?? 'unknown' }), method, headers);
        const random = await answerOf(world, at({ ...own, [name]: absentId(name, own) }), method, headers);
        if (name === 'dataset_id')
          t.equal(JSON.parse(swapped)[0], 403, `${method} ${endpoint.path} of another tenant's dataset`);
        else t.equal(swapped, random, `${method} ${endpoint.path} with a foreign ${name}`);
        for (const malformed of MALFORMED) {
          const path = `/api/v1${endpoint.path.replace(/:(\w+)/g, (_, other: string) => (other === name ? malformed : encodeURIComponent(own[other] ?? 'x')))}`;
          const [status] = JSON.parse(await answerOf(world, path, method, headers));
          t.ok(
            [400, 403, 404, 405, 414].includes(status),
            `${method} ${endpoint.path} with a malformed ${name}: ${status}`,
          );
        }
        walked += 1;
      }
    }
    t.ok(walked >= 10, `${walked} parameters walked`);
    t.strictSame(
      await world.database.peek(DUMP, [await tenantId(world, 'other')]),
      before,
      "the other tenant's rows are as before",
    );
  },
);

t.test('no row of another tenant shows in any answer, whatever is listed', async (t) => {
  const world = await testPlatform(t, t.testdir());
  await furnish(world, 'acme');
  await furnish(world, 'other');
  const canary = 'zz_canary';
  await world.database.peek('update sources.source set name = $1 where tenant_id = $2', [
    canary,
    await tenantId(world, 'other'),
  ]);
  const headers = { authorization: `Bearer ${await world.token('acme')}`, 'x-tenant-id': 'acme' };
  for (const { method, endpoint } of world.api.app.declaredRoutes) {
    if (method !== 'GET' || endpoint.path.includes(':')) continue;
    const path = endpoint.mount === 'root' ? endpoint.path : `/api/v1${endpoint.path}`;
    t.notMatch(await answerOf(world, path, method, headers), canary, path);
  }
});

t.test('each role reaches what its rank allows, by every route', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const own = await furnish(world, 'acme');
  const ranks = ['viewer', 'pipeline_editor', 'admin'];
  for (const role of [...ranks, 'nobody']) {
    const headers = { authorization: `Bearer ${await world.token('acme', role)}`, 'x-tenant-id': 'acme' };
    for (const { method, endpoint } of world.api.app.declaredRoutes) {
      const { access } = endpoint;
      if (access.kind !== 'tenant' || method === 'DELETE') continue;
      const path = `/api/v1${endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(own[name] ?? 'x'))}`;
      const [status, , body] = JSON.parse(await answerOf(world, path, method, headers));
      const refused = status === 403 && body.includes('forbidden_role');
      t.equal(
        refused,
        ranks.indexOf(role) < ranks.indexOf(access.role),
        `${role}: ${method} ${endpoint.path} answers ${status}`,
      );
    }
  }
});

t.test('the catalogue of the deployed database shows no hole in the tenant wall', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const catalogue = { query: async (text: string) => ({ rows: await world.database.peek(text) }) } as never;
  t.strictSame(await tools.auditTables(catalogue), []);
  t.ok(startSync);
});

const DUMP = `
select 'source' as kind, to_jsonb(s)::text as row from sources.source s where tenant_id = $1
union all select 'stream', to_jsonb(s)::text from sources.stream s where tenant_id = $1
union all select 'run', to_jsonb(r)::text from kernel.run r where tenant_id = $1
union all select 'producer', to_jsonb(p)::text from datasets.producer p where tenant_id = $1 order by 1, 2`;

async function tenantId(world: TestPlatform, alias: string): Promise<string> {
  const [row] = await world.database.peek('select tenant_id from kernel.tenant where alias = $1', [alias]);
  return String(row?.tenant_id);
}

/** A well-formed id of something that does not exist. */
function absentId(name: string, own: Ids): string {
  if (name === 'workflow_id') return String(own.workflow_id).replace(/[^:]+$/, '018f4a6e-0000-7000-8000-00000000dead');
  return '018f4a6e-0000-7000-8000-00000000dead';
}
