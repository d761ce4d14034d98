import { randomBytes, randomUUID } from 'node:crypto';
import { createSource, startDiscovery } from '@weir/plugin-sources/contract';
import t, { type Test } from 'tap';
import { sweepIntents } from '../../plugins/platform/src/audit/recorder.ts';
import { apiProcess } from '../api-process.ts';
import { faultFolder } from '../crash/fault-folder.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';

/** What anybody may say, and nobody is believed. */
const SPOOFED = { 'x-forwarded-for': '198.51.100.9' };
const FOLDER = new URL('../fixtures/shop', import.meta.url).pathname;
const CANARY = 'zz_canary';

/** What is noted of a call that changes nothing. */
const DENIED: readonly unknown[] = [401, 403, 'tenant_header_invalid'];
/** The mode of this deployment closes routes of the secret store. */
const CLOSED = 'credential_mode_unsupported';

interface Asked {
  path: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request and answers its status and the events that bear its id, in whatever chain. */
async function ask(world: TestPlatform, { path, method, headers = {}, body }: Asked) {
  const requestId = randomBytes(16).toString('hex');
  const answer = await fetch(new URL(path, world.api.url), {
    method,
    headers: {
      accept: 'application/json',
      traceparent: `00-${requestId}-${randomBytes(8).toString('hex')}-01`,
      ...SPOOFED,
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const code = /"code":"(\w+)"/.exec(await answer.text())?.[1];
  const rows = await world.database.peek(
    `select e.event, t.alias from platform.audit_event e left join kernel.tenant t using (tenant_id)
     where e.event->>'request_id' = $1`,
    [requestId],
  );
  const events = rows.map(({ event, alias }) => ({ ...(event as Record<string, unknown>), chain: alias }));
  return { status: answer.status, code, location: answer.headers.get('location'), events };
}

async function as(world: TestPlatform, role: string): Promise<Record<string, string>> {
  const authorization = `Bearer ${await world.token('acme', role)}`;
  return { authorization, 'x-tenant-id': 'acme', 'content-type': 'application/json' };
}

const shop = (name: string) => JSON.stringify({ name, pattern_id: 'files', source_config: { path: FOLDER } });

t.test(
  'each changing route writes exactly one event per call: when it is denied, malformed, absent or done; a reading one when it is denied',
  async (t) => {
    const world = await testPlatform(t, t.testdir());
    const roles = {
      nobody: await as(world, 'nobody'),
      admin: await as(world, 'admin'),
      platform: await as(world, 'platform_admin'),
    };
    let walked = 0;
    const closed = new Set<string>();
    for (const { method, endpoint } of world.api.app.declaredRoutes) {
      // Webhooks are signed; what the trail keeps of them is shown where they are tested.
      if (method === 'GET' || ['public', 'webhook'].includes(endpoint.access.kind)) continue;
      const path = `/api/v1${endpoint.path.replace(/:\w+/g, () => randomUUID())}`;
      const able = endpoint.access.kind === 'platform' ? roles.platform : roles.admin;
      const body = method === 'DELETE' ? undefined : '{}';
      const kinds: Asked[] = [
        { path, method, headers: { 'content-type': 'application/json' }, ...(body ? { body } : {}) },
        { path, method, headers: roles.nobody, ...(body ? { body } : {}) },
        { path, method, headers: able, ...(body ? { body } : {}) },
        ...(endpoint.access.kind === 'tenant'
          ? [{ path, method, headers: { ...able, 'x-tenant-id': `a ${CANARY}` }, ...(body ? { body } : {}) }]
          : []),
        { path, method, headers: able, body: `{"${CANARY}": "${CANARY}"` },
        {
          path: `${path}?${CANARY}=1`,
          method,
          headers: { ...able, 'if-match': `"${CANARY}"` },
          body: `{"${CANARY}":1}`,
        },
      ];
      for (const asked of kinds) {
        const { status, code, events } = await ask(world, asked);
        // Refused by a rule before any limit: repetitions are told later, by their number.
        if (code === CLOSED && closed.has(endpoint.id)) {
          t.strictSame(events, [], `${method} ${endpoint.path}: ${status} again`);
          continue;
        }
        if (code === CLOSED) closed.add(endpoint.id);
        if ('reads' in endpoint.access && !DENIED.includes(status) && !DENIED.includes(code)) {
          t.strictSame(events, [], `${method} ${endpoint.path}: ${status} of what only reads`);
          continue;
        }
        t.match(
          events,
          [{ action: endpoint.id, status, address: '127.0.0.1' }],
          `${method} ${endpoint.path}: ${status}`,
        );
        t.equal(events.length, 1, `${method} ${endpoint.path}: ${status}`);
        t.notMatch(JSON.stringify(events), CANARY);
      }
      walked += 1;
    }
    t.ok(walked > 15, `${walked} routes`);
    t.strictSame(await world.database.peek('select 1 from platform.audit_intent'), []);
  },
);

t.test('what was made, what failed and what was repeated is told, from where the trusted proxy says', async (t) => {
  const world = await testPlatform(t, t.testdir(), { WEIR_TRUSTED_PROXIES: '127.0.0.0/8' });
  const headers = { ...(await as(world, 'admin')), 'idempotency-key': 'once' };
  const create = { path: '/api/v1/sources', method: 'POST', headers, body: shop('shop') };
  const first = await ask(world, create);
  t.match(first.events, [
    { result: 'done', status: 201, location: first.location, repeated: false, chain: 'acme', tenant: 'acme' },
  ]);
  t.match(first.events, [{ address: SPOOFED['x-forwarded-for'], count: undefined }]);
  t.match((await ask(world, { ...create, headers: { ...create.headers, 'x-forwarded-for': 'odd' } })).events, [
    { address: '127.0.0.1', repeated: true },
  ]);
  t.match((await ask(world, create)).events, [
    { result: 'done', status: 201, location: first.location, repeated: true },
  ]);
  const other = { ...create, headers: await as(world, 'admin') };
  t.match((await ask(world, other)).events, [{ result: 'refused', status: 409, code: /./ }]);
  await world.database.peek('revoke insert on sources.source from weir_app');
  const failing = { ...other, body: shop('another') };
  t.match((await ask(world, failing)).events, [{ result: 'failed', status: 500, code: 'internal' }]);
});

/** An API in a process of its own, killed while it starts what it has committed. */
async function killedInCall(t: Test, world: TestPlatform): Promise<void> {
  const faults = await faultFolder(`${t.testdirName}/faults`);
  const api = await apiProcess(t, { ...world.environment, WEIR_FAULTPOINTS: faults.path });
  const who = { url: api.url, token: await world.token('acme'), tenant: 'acme' };
  const made = await world.call(who, createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path: FOLDER } },
  });
  if (!made.ok) throw new Error(made.problem.code);
  await faults.arm('S1');
  const lost = fetch(new URL('/api/v1/sources/discover?queue=true', api.url), {
    method: 'POST',
    headers: await as(world, 'admin'),
    body: JSON.stringify({ source_id: made.body.source_id }),
  }).catch(() => 'lost');
  await faults.held('S1');
  process.kill(api.pid, 'SIGKILL');
  t.equal(await lost, 'lost');
}

t.test('an API that is killed between a change and its end leaves one event that says unknown', async (t) => {
  t.testdir({});
  const world = await testPlatform(t, `${t.testdirName}/platform`);
  await killedInCall(t, world);
  const kernel = world.platform.plugins.find(({ manifest }) => manifest.id === 'platform')?.kernel;
  if (kernel === undefined) throw new Error('the platform has no plugin of that name');
  t.equal((await world.database.peek('select 1 from kernel.run')).length, 1, 'the change was made');
  const acme = await world.database.tenant('acme');
  t.equal(await sweepIntents(kernel, acme, 0), 1);
  t.equal(await sweepIntents(kernel, acme, 0), 0);
  const events = await world.database.peek("select event from platform.audit_event where event->>'action' = $1", [
    startDiscovery.id,
  ]);
  t.strictSame(
    events.map(({ event }) => (event as { result: string }).result),
    ['unknown'],
  );
});
