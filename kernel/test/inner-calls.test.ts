import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import t from 'tap';
import { permission } from '../src/contract/access.ts';
import type { Tenant } from '../src/contract/caller.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed } from '../src/contract/shapes.ts';
import type { Authenticate } from '../src/http/authenticate.ts';
import { handle, registerRoutes, requireMatch } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';

const access = permission('x:write', 'viewer', { capability: 'x:write' });
const outer = endpoint({
  ...{ id: 'x.outer', method: 'POST', path: '/outer', summary: 'x', access },
  body: Closed({ if_match: Type.Optional(Type.String()) }),
  response: Type.Object({ status: Type.Integer(), body: Type.Unknown() }),
});
const inner = endpoint({
  ...{ id: 'x.inner', method: 'PATCH', path: '/inner/:inner_id', summary: 'x', access },
  ...{ params: Closed({ inner_id: Type.String() }), query: Closed({ q: Type.String() }) },
  body: Closed({ name: Type.String() }),
  response: Type.Object({ seen: Type.Array(Type.String()), trace: Type.String() }),
});

/** Callers are known by their token, and `bad` is refused. */
const authenticate: Authenticate = () => async (request) => {
  const { authorization = '', 'x-tenant-id': alias = '' } = request.headers;
  if (authorization === 'Bearer bad' && request.method === 'PATCH') throw kernelProblems.forbiddenRole();
  const tenant = { tenantId: 'id', alias: String(alias), scope: 'acme' } as Tenant;
  request.caller = { principal: { kind: 'anonymous' }, tenant };
};

t.test('a call within a call → is made as the caller, through every wall', async (t) => {
  const app = createServer(pino({ level: 'silent' }), () => true);
  const idempotency = { once: (_call: unknown, work: () => unknown) => work() } as never;
  const calls = handle(outer, ({ call, body }) => {
    const asked = { params: { inner_id: 'a/b' }, query: { q: 'x' }, body: { name: 'n' } };
    return call(inner, body.if_match === undefined ? asked : { ...asked, ifMatch: body.if_match });
  });
  const called = handle(inner, async ({ tenant, params, query, body, ifMatch, traceId }) => {
    requireMatch(ifMatch, '7');
    return { seen: [tenant.alias, params.inner_id, query.q, body.name], trace: traceId };
  });
  const addresses: string[] = [];
  // Each plugin has hooks of its own, as on the real server.
  await app.register(async (plugin) => registerRoutes(plugin, [calls], { authenticate, idempotency }));
  await app.register(async (plugin) => {
    plugin.addHook('onRequest', async ({ ip }) => void addresses.push(ip));
    registerRoutes(plugin, [called], { authenticate, idempotency });
  });
  t.teardown(() => app.close());
  const ask = async (token: string, payload: object = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme', 'x-forwarded-for': '203.0.113.9' };
    const answer = await app.inject({ method: 'POST', url: '/api/v1/outer', headers, payload });
    return answer.json();
  };
  const trace = (body: unknown) => (body as { body: { trace: string } }).body.trace;
  const done = await ask('good');
  t.match(done, { status: 200, body: { seen: ['acme', 'a/b', 'x', 'n'] } });
  t.match(trace(done), /^[0-9a-f]{32}$/);
  t.strictSame(addresses, ['203.0.113.9'], 'the address is passed on');
  t.match(await ask('good', { if_match: '"7"' }), { status: 200 });
  t.match(await ask('good', { if_match: '"6"' }), { status: 412, body: { code: 'precondition_failed' } });
  t.match(await ask('bad'), { status: 403, body: { code: 'forbidden_role' } });
});
