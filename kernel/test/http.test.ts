import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type TSchema, Type } from '@sinclair/typebox';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import t from 'tap';
import { anyone, knownPermission, permission, platformPermission } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { Problem, problem } from '../src/contract/problem.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed, Id } from '../src/contract/shapes.ts';
import type { Authenticate } from '../src/http/authenticate.ts';
import { handle, requireMatch } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';
import { createLog } from '../src/log/log.ts';
import { definePlugin, type Registration } from '../src/plugins/define-plugin.ts';

const authenticate: Authenticate = () => async (request) => {
  request.caller = { principal: { kind: 'anonymous' }, tenant: undefined };
};
const idempotency = { once: async <T>(_call: unknown, work: () => Promise<T>) => work() } as never;
const deps = { authenticate, idempotency };
const canary = 'CANARY-4711';

const teapot = problem({ code: 'teapot', status: 409, title: 'Teapot', detail: 'It is {state}.', hint: 'Wait.' });
const brew = endpoint({
  id: 'pots.brew',
  method: 'POST',
  path: '/pots/:pot_id/brew',
  summary: 'Brew',
  access: anyone,
  params: Type.Object({ pot_id: Id }),
  body: Closed({ cups: Type.Integer({ maximum: 9 }), note: Type.Optional(Type.String()) }),
  response: Type.Object({ run_id: Type.String(), etag: Type.String() }),
  status: 202,
  location: '/pots/:pot_id/runs/:run_id',
  errors: [teapot],
});
const pot = '018f4a6e-0000-7000-8000-000000000000';

async function serverWith(t: { teardown(work: () => unknown): void }, run: () => unknown): Promise<FastifyInstance> {
  const app = createServer(pino({ level: 'silent' }));
  const registration: Registration = { routes: [handle(brew, async () => run() as never)] };
  const plugin = definePlugin({ id: 'pots', setup: () => registration });
  await app.register(plugin, { registration, deps });
  t.teardown(() => app.close());
  return app;
}

const post = (app: FastifyInstance, payload: string | object, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: `/api/v1/pots/${pot}/brew`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

t.test('an accepted start answers its status, Location and ETag, and only what its schema names', async (t) => {
  const app = await serverWith(t, () => ({ run_id: 'r1', etag: '7', password: canary }));
  const answer = await post(app, { cups: 2 });
  t.equal(answer.statusCode, 202);
  t.equal(answer.headers.location, `/api/v1/pots/${pot}/runs/r1`);
  t.equal(answer.headers.etag, '"7"');
  t.strictSame(answer.json(), { run_id: 'r1', etag: '7' });
});

t.test('bad input gets its stable code, a hint, and no echo', async (t) => {
  const app = await serverWith(t, () => ({ run_id: 'r', etag: '1' }));
  const cases: [string, string, string, number, Record<string, string>?][] = [
    ['wrong type', `{"cups":"${canary}"}`, 'validation_failed', 400],
    ['a number as text is not read as a number', '{"cups":"2"}', 'validation_failed', 400],
    ['unknown field', `{"cups":1,"${canary}":1}`, 'validation_failed', 400],
    ['missing field', '{}', 'validation_failed', 400],
    ['unsafe integer', '{"cups":9007199254740993}', 'unsafe_number', 400],
    ['broken JSON', `{"cups":${canary}`, 'malformed_json', 400],
    ['empty body', '', 'validation_failed', 400],
    ['oversized body', `{"cups":1,"note":"${'x'.repeat(1024 * 1024)}"}`, 'payload_too_large', 413],
    [
      'unknown content type',
      'cups=1',
      'unsupported_media_type',
      415,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'a content type with a trick',
      '{"cups":1}',
      'unsupported_media_type',
      415,
      { 'content-type': 'application/jsonx' },
    ],
  ];
  for (const [name, payload, code, status, headers] of cases) {
    const answer = await post(app, payload, headers);
    t.match(answer.headers['content-type'], /^application\/problem\+json/, name);
    t.match(
      answer.json(),
      { code, status, type: `/docs/errors/${code}`, hint: String, trace_id: /^[0-9a-f]{32}$/ },
      name,
    );
    t.equal(answer.statusCode, status, name);
    t.notMatch(answer.body, canary, name);
  }
  const malformedId = await app.inject({
    method: 'POST',
    url: `/api/v1/pots/${canary}/brew`,
    headers: { 'content-type': 'application/json' },
    payload: '{"cups":1}',
  });
  t.match(malformedId.json(), {
    code: 'validation_failed',
    errors: [{ pointer: '/params/pot_id', code: 'format', message: 'must be a UUID' }],
  });
  t.notMatch(malformedId.body, canary);
});

t.test('a body with a content coding → 415 that says which one is read, a bare one is read', async (t) => {
  const app = await serverWith(t, () => ({ run_id: 'r1', etag: '7' }));
  const coded = gzipSync('{"cups":2}');
  for (const coding of ['gzip', 'GZIP', 'br', 'identity, gzip', canary, '']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const answer = await app.inject({ method: 'POST', url: `/api/v1/pots/${pot}/brew`, headers, payload: coded });
    t.match(answer.json(), { code: 'unsupported_content_encoding', status: 415 }, coding);
    t.equal(answer.headers['accept-encoding'], 'identity', coding);
    t.notMatch(answer.body, canary);
  }
  for (const coding of ['identity', 'Identity'])
    t.equal((await post(app, { cups: 2 }, { 'content-encoding': coding })).statusCode, 202, coding);
  t.match((await post(app, '', { 'content-encoding': 'gzip' })).json(), { status: 400 }, 'nothing is coded in no way');
});

t.test('a body may name the media type of a merge patch', async (t) => {
  const app = await serverWith(t, () => ({ run_id: 'r1', etag: '7' }));
  t.equal((await post(app, { cups: 2 }, { 'content-type': 'application/merge-patch+json' })).statusCode, 202);
});

t.test('a body on a route that reads none is refused, an empty one is not', async (t) => {
  const app = createServer(pino({ level: 'silent' }));
  t.teardown(() => app.close());
  const start = endpoint({ id: 'pots.start', method: 'POST', path: '/start', summary: 'Start', access: anyone });
  const registration: Registration = { routes: [handle(start, async () => undefined)] };
  await app.register(definePlugin({ id: 'pots', setup: () => registration }), { registration, deps });
  const send = (payload: string) =>
    app.inject({ method: 'POST', url: '/api/v1/start', headers: { 'content-type': 'application/json' }, payload });
  t.match((await send(`{"${canary}":["x"]}`)).json(), { code: 'validation_failed', errors: [{ code: 'no_body' }] });
  t.equal((await send('{}')).statusCode, 200);
  t.equal((await app.inject({ method: 'POST', url: '/api/v1/start' })).statusCode, 200);
});

t.test('an empty body of a named type is no body, one without required members may be left out', async (t) => {
  const app = createServer(pino({ level: 'silent' }));
  t.teardown(() => app.close());
  const routeOf = (method: 'POST' | 'PUT' | 'DELETE', body: TSchema) =>
    handle(
      endpoint({
        id: `pots.${method}`,
        method,
        path: '/rinse',
        summary: 'Rinse',
        access: anyone,
        body,
        response: body,
      }),
      async ({ body }) => body as never,
    );
  const optional = Closed({ cups: Type.Optional(Type.Integer({ default: 3 })) });
  const none = endpoint({ id: 'pots.drop', method: 'DELETE', path: '/drop', summary: 'Drop', access: anyone });
  const routes = [
    ...[routeOf('POST', optional), routeOf('DELETE', optional), routeOf('PUT', optional)],
    handle(none, async () => undefined),
  ];
  const registration: Registration = { routes };
  await app.register(definePlugin({ id: 'pots', setup: () => registration }), { registration, deps });
  const types = [undefined, 'application/json', 'application/merge-patch+json'];
  const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, type: string | undefined, payload = '') =>
    app.inject({
      ...{ method, url: `/api/v1/${path}` },
      ...(type === undefined ? {} : { headers: { 'content-type': type }, payload }),
    });
  for (const type of types) {
    t.equal((await send('DELETE', 'drop', type)).statusCode, 200, `nothing to a route that reads none, as ${type}`);
    for (const method of ['POST', 'DELETE'] as const)
      t.strictSame((await send(method, 'rinse', type)).json(), { cups: 3 }, `${method} of nothing as ${type}`);
    t.match((await send('PUT', 'rinse', type)).json(), { code: 'validation_failed' }, 'what is replaced must be given');
  }
  t.match((await send('POST', 'rinse', 'application/json', 'null')).json(), { code: 'validation_failed' });
  t.match((await send('POST', 'rinse', 'application/json', ' ')).json(), { code: 'malformed_json' });
  t.strictSame((await send('DELETE', 'rinse', 'application/json', '{"cups":4}')).json(), { cups: 4 });
});

t.test('an unknown path is 404 and a wrong method 405 with Allow', async (t) => {
  const app = await serverWith(t, () => ({}));
  t.match((await app.inject('/api/v1/nothing')).json(), { code: 'route_not_found', status: 404 });
  const lost = await app.inject({ method: 'POST', url: '/api/v1/nothing', payload: { a: 1 } });
  t.match(lost.json(), { code: 'route_not_found', status: 404 }, 'with a body, too');
  const bodies = [
    ['application/yaml', 'a: 1'],
    ['text/plain', canary],
    ['application/json', '{'],
    ['application/json', `"${canary.repeat(200_000)}"`],
  ] as const;
  for (const [type, payload] of bodies)
    for (const [method, path, code] of [
      ['POST', 'nothing', 'route_not_found'],
      ['PUT', `pots/${pot}/brew`, 'method_not_allowed'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      const answer = await app.inject({ method, url: `/api/v1/${path}`, headers, payload });
      t.match(answer.json(), { code }, `${code} before the body: ${type}`);
    }
  const wrong = await app.inject({ method: 'DELETE', url: `/api/v1/pots/${pot}/brew` });
  t.match(wrong.json(), { code: 'method_not_allowed', status: 405 });
  t.equal(wrong.headers.allow, 'POST');
  const query = await app.inject({ method: 'QUERY' as 'GET', url: `/api/v1/pots/${pot}/brew` });
  t.match(query.json(), { code: 'method_not_allowed', status: 405 }, 'a method that Fastify wants a content type of');
});

t.test('a path that the router cannot read is a problem document too, and is not echoed', async (t) => {
  const app = await serverWith(t, () => ({}));
  for (const [path, code] of [
    [`/api/v1/pots/${canary}%zz/brew`, 'route_not_found'],
    [`/api/v1/pots/${canary.repeat(100)}/brew`, 'uri_too_long'],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url: path });
    t.match(answer.json(), { code, hint: String, trace_id: /^[0-9a-f]{32}$/ });
    t.match(answer.headers['content-type'], /^application\/problem\+json/);
    t.notMatch(answer.body, canary);
  }
});

t.test('whatever is thrown, the answer is a problem of the table and leaks nothing', async (t) => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const thrown = fc.oneof(
    fc.anything(),
    fc.constantFrom<unknown>(
      circular,
      new Error(canary, { cause: canary }),
      null,
      undefined,
      canary,
      teapot({ values: { state: 'full' }, cause: canary }),
      Object.assign(new Error(canary), { statusCode: 200, code: canary }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(thrown, async (value) => {
      const app = createServer(pino({ level: 'silent' }));
      const registration: Registration = {
        routes: [handle(brew, async () => Promise.reject(value))],
      };
      await app.register(definePlugin({ id: 'pots', setup: () => registration }), { registration, deps });
      const answer = await post(app, { cups: 1 });
      await app.close();
      const expected = value instanceof Problem ? value.code : 'internal';
      return answer.json().code === expected && !answer.body.includes(canary);
    }),
    { numRuns: 60 },
  );
  t.pass('holds');
});

t.test('a route without endpoint, access rule, closed body or a schema that is one is refused at boot', async (t) => {
  const refuses = async (config: object | undefined, name: RegExp, schema = {}) => {
    const app = createServer(pino({ level: 'silent' }));
    t.teardown(() => app.close());
    app.register(async (scope) => {
      scope.route({ method: 'GET', url: '/x', schema, ...(config ? { config } : {}), handler: async () => 1 });
    });
    await t.rejects(async () => app.ready(), name);
  };
  await refuses(undefined, /GET \/x has no endpoint declaration/);
  await refuses({ endpoint: { id: 'x.y' } }, /x\.y \(GET \/x\) has no access rule/);
  await refuses({ endpoint: { id: 'x.y', access: anyone, body: Type.Object({}) } }, /open body schema/);
  const changes = /x\.y \(GET \/x\) changes something without a `capability` and without `people: true`/;
  const unnamed = [permission('x:write', 'admin'), platformPermission('x:manage'), knownPermission('x:write')];
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const access of unnamed) await refuses({ endpoint: { id: 'x.y', method, access } }, changes);
  const reads = permission('x:try', 'viewer', { reads: true });
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    await refuses({ endpoint: { id: 'x.y', method, access: reads } }, changes);
  const noSchema = { querystring: { type: 'object', properties: { size: { type: 'much' } } } };
  await refuses({ endpoint: { id: 'x.y', access: anyone } }, /schema is invalid/, noSchema);
});

t.test("one plugin's hook never fires for another", async (t) => {
  const app = createServer(pino({ level: 'silent' }));
  t.teardown(() => app.close());
  const seen: string[] = [];
  for (const id of ['one', 'two']) {
    const declared = endpoint({
      id: `${id}.get`,
      method: 'GET',
      path: `/${id}`,
      summary: id,
      access: permission('x:read', 'viewer'),
      response: Type.Object({}),
    });
    const registration: Registration = { routes: [handle(declared, async () => ({}))] };
    const plugin = definePlugin({
      id,
      setup: () => registration,
      scope: (scope) => scope.addHook('preHandler', async () => void seen.push(id)),
    });
    await app.register(plugin, { registration, deps });
  }
  await app.inject('/api/v1/one');
  t.strictSame(seen, ['one']);
  await app.inject('/api/v1/two');
  t.strictSame(seen, ['one', 'two']);
});

t.test('If-Match holds a change to the row that was read', async (t) => {
  t.doesNotThrow(() => requireMatch(undefined, '3'));
  t.doesNotThrow(() => requireMatch('*', '3'));
  t.doesNotThrow(() => requireMatch('"2", "3"', '3'));
  t.throws(() => requireMatch('"2"', '3'), kernelProblems.preconditionFailed());
});

t.test('requests that are not HTTP, or too large in the head, get a problem document too', async (t) => {
  const app = await serverWith(t, () => ({}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer));
      // A server that ends the connection before it has read all of it resets it; its answer is here by then.
      socket.on('error', () => undefined);
    });
  const cases: [string, number, string][] = [
    [`${canary}\r\n\r\n`, 400, 'malformed_request'],
    [`GET / HTTP/1.1\r\nHost: x\r\nx: ${canary.repeat(2_000)}\r\n\r\n`, 431, 'headers_too_large'],
    [`GET /${canary.repeat(2_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, 'uri_too_long'],
    [`GET / HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'malformed_request'],
    [`GET / HTTP/1.1\r\nHost: x\r\nHost: ${canary}\r\nConnection: close\r\n\r\n`, 400, 'malformed_request'],
    [`GET / HTTP/1.1\r\nHost: x\r\nExpect: ${canary}\r\nConnection: close\r\n\r\n`, 417, 'expectation_failed'],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n', 100, 'route_not_found'],
    ['GET / HTTP/1.0\r\n\r\n', 404, 'route_not_found'],
  ];
  for (const [text, status, code] of cases) {
    const answer = await raw(text);
    t.match(
      answer,
      new RegExp(`^HTTP/1.1 ${status} [^]*application/problem\\+json[^]*"code":"${code}"`),
      text.slice(0, 60),
    );
    t.notMatch(answer, canary);
  }
});

t.test('every log line of a request carries the trace id and those of the five keys that its path names', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = createServer(createLog({ level: 'info', name: 'test', destination }));
  t.teardown(() => app.close());
  const look = endpoint({
    id: 'pots.look',
    method: 'GET',
    path: '/pots/:source_id/:workflow_id',
    summary: 'Look',
    access: anyone,
    response: Type.Object({}),
  });
  const registration: Registration = {
    routes: [
      handle(look, async ({ log }) => {
        log.info('inside');
        return {};
      }),
    ],
  };
  await app.register(definePlugin({ id: 'pots', setup: () => registration }), { registration, deps });
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const [source, tenant] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
  await app.inject({ url: `/api/v1/pots/${source}/${tenant}:sync:${source}`, headers: { traceparent } });
  const wanted = { source_id: source, workflow_id: `${tenant}:sync:${source}`, trace_id: 'a'.repeat(32) };
  t.match(lines.splice(0), [
    { ...wanted, msg: 'inside' },
    { ...wanted, msg: 'answered', status: 200, route: '/api/v1/pots/:source_id/:workflow_id' },
  ]);
  await app.inject({ url: '/api/v1/pots/hunter2/hunter2:sync:hunter2', headers: { traceparent } });
  t.notMatch(JSON.stringify(lines), 'hunter2', 'what stands in the place of an id and is none is no log key');
});
