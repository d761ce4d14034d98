import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { CONNECTION_LIMITS, type ConnectionLimits } from '@weir/http-limits';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import t from 'tap';
import { HASTY_MS } from '../../test/until.ts';
import { anyone } from '../src/contract/access.ts';
import { endpoint, fillPath } from '../src/contract/endpoint.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed } from '../src/contract/shapes.ts';
import type { Authenticate } from '../src/http/authenticate.ts';
import { type AnyRoute, handle } from '../src/http/handle.ts';
import { raw } from '../src/http/raw.ts';
import { createServer } from '../src/http/server.ts';
import { contentOf } from '../src/http/streamed-body.ts';
import { definePlugin, type Registration } from '../src/plugins/define-plugin.ts';
import type { Manifest } from '../src/plugins/manifest.ts';
import { differences } from '../src/plugins/setup-plugins.ts';

const authenticate: Authenticate = () => async (request) => {
  request.caller = { principal: { kind: 'anonymous' }, tenant: undefined };
};
const idempotency = { once: async <T>(_call: unknown, work: () => Promise<T>) => work() } as never;
const LIMIT = 4 * 1024 * 1024;

const fill = endpoint({
  ...{ id: 'pots.fill', method: 'POST', path: '/pots', summary: 'Fill', access: anyone },
  ...{ consumes: 'application/octet-stream', maxBodyBytes: LIMIT, response: Type.Object({ bytes: Type.Integer() }) },
});
const name = endpoint({
  ...{ id: 'pots.name', method: 'POST', path: '/pots/names', summary: 'Name', access: anyone },
  ...{ body: Closed({ note: Type.String() }), maxBodyBytes: 2 * 1024 * 1024 },
});
const page = endpoint({
  ...{ id: 'web.get_page', method: 'GET', path: '/*file', mount: 'root', summary: 'A page', access: anyone },
  ...{ params: Type.Object({ file: Type.String() }), produces: ['text/html'] },
});
const asset = endpoint({ ...page, id: 'web.get_asset', path: '/assets/*file', cache: 'immutable' });

const pots: AnyRoute[] = [
  handle(fill, async ({ content }) => {
    let bytes = 0;
    for await (const chunk of content) bytes += chunk.length;
    return { bytes };
  }),
  handle(name, async () => undefined),
];
const web: AnyRoute[] = [
  handle(page, async ({ params }) => raw({ type: 'text/html', body: `page ${params.file}` })),
  handle(asset, async ({ params }) => raw({ type: 'text/plain', body: `asset ${params.file}` })),
];

async function served(
  t: { teardown(work: () => unknown): void },
  limits: Partial<ConnectionLimits> = {},
  routes = pots,
) {
  const app = createServer(pino({ level: 'silent' }), undefined, { ...CONNECTION_LIMITS, ...limits });
  for (const [id, own] of [['pots', routes] as const, ['web', web] as const]) {
    const registration: Registration = { routes: own };
    const plugin = definePlugin({ id, setup: () => registration });
    await app.register(plugin, { registration, deps: { authenticate, idempotency } });
  }
  t.teardown(() => app.close());
  return app;
}

const octets = { 'content-type': 'application/octet-stream' };
const sent = async (t: { teardown(work: () => unknown): void }, payload: Buffer | string, headers: object = octets) => {
  const app = await served(t);
  return app.inject({ method: 'POST', url: '/api/v1/pots', payload, headers: { ...headers } });
};

t.test('bytes beyond the usual limit of a body → the handler reads them all', async (t) => {
  t.match((await sent(t, Buffer.alloc(LIMIT))).json(), { bytes: LIMIT });
  t.match((await sent(t, '')).json(), { bytes: 0 });
});

t.test('bytes beyond the limit of the route → payload_too_large, with and without a length', async (t) => {
  t.match((await sent(t, Buffer.alloc(LIMIT + 1))).json(), { status: 413, code: 'payload_too_large' });
  const app = await served(t);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const body = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1024 * 1024)) });
  const answer = await fetch(`${url}/api/v1/pots`, { method: 'POST', headers: octets, body, duplex: 'half' } as object);
  t.match(await answer.json(), { code: 'payload_too_large' });
});

t.test('another kind of body, or bytes where a document is wanted → unsupported_media_type', async (t) => {
  t.match((await sent(t, '{}', { 'content-type': 'application/json' })).json(), { code: 'unsupported_media_type' });
  const app = await served(t);
  const answer = await app.inject({ method: 'POST', url: '/api/v1/pots/names', payload: 'x', headers: octets });
  t.match(answer.json(), { code: 'unsupported_media_type' });
});

t.test('a route with a limit of its own takes a larger document, others do not', async (t) => {
  const app = await served(t);
  const headers = { 'content-type': 'application/json' };
  const ask = (bytes: number) =>
    app.inject({ method: 'POST', url: '/api/v1/pots/names', headers, payload: { note: 'x'.repeat(bytes) } });
  t.match(await ask(1.5 * 1024 * 1024), { statusCode: 200 });
  t.match((await ask(2 * 1024 * 1024)).json(), { code: 'payload_too_large' });
});

t.test('a handler that takes one chunk → little more is read than that', async (t) => {
  let pulled = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const endless = new Readable({
    read() {
      pulled += 1;
      this.push(chunk);
    },
  });
  const request = { raw: endless, routeOptions: { bodyLimit: Number.MAX_SAFE_INTEGER } };
  const content = contentOf(request as unknown as FastifyRequest);
  for await (const first of content.iterator({ destroyOnReturn: false })) {
    t.equal(first.length, chunk.length);
    break;
  }
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  t.ok(pulled <= 8, `${pulled} chunks`);
});

t.test('a body that takes too long → 408; a stream of bytes has longer', async (t) => {
  const app = await served(t, { requestTimeoutMs: HASTY_MS });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const begin = (path: string, type: string) => {
    const client = connect(port, '127.0.0.1');
    client.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 2\r\n\r\n1`);
    return client;
  };
  const stream = begin('/api/v1/pots', octets['content-type']);
  const [late] = await once(begin('/api/v1/pots/names', 'application/json'), 'data');
  t.match(String(late), /^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/);
  stream.write('2');
  const [answer] = await once(stream, 'data');
  t.match(String(answer), '{"bytes":2}');
  stream.destroy();
});

t.test('a caller breaks off → the handler is not given a whole body', async (t) => {
  const failed = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const half = handle(fill, async ({ content }) => {
    try {
      for await (const _chunk of content) begun.resolve();
      failed.resolve('whole');
    } catch (error) {
      failed.resolve(error);
    }
    return { bytes: 0 };
  });
  const app = await served(t, {}, [half]);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST /api/v1/pots HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n');
  client.write('Content-Length: 1000\r\n\r\nhalf');
  await begun.promise;
  client.destroy();
  t.ok((await failed.promise) instanceof Error);
});

t.test('a page takes the rest of its path, and only what never changes may be stored', async (t) => {
  const app = await served(t);
  const get = (url: string) => app.inject({ method: 'GET', url });
  t.match(await get('/'), { body: 'page ', headers: { 'cache-control': 'no-store' } });
  t.match(await get('/sources/shop?tab=1'), { body: 'page sources/shop' });
  const kept = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };
  t.match(await get('/assets/js/a%20b.js'), { body: 'asset js/a b.js', headers: kept });
  t.equal(fillPath('/assets/*file', { file: 'js/a b.js' }), '/assets/js/a%20b.js');
});

t.test('a page that fails → a browser gets a page that says so, a program the problem', async (t) => {
  const lost = { ...page, errors: [kernelProblems.notFound] };
  const broken = handle(lost, async ({ params }) => {
    throw params.file === 'late' ? kernelProblems.dependencyUnavailable() : kernelProblems.notFound();
  });
  const app = createServer(pino({ level: 'silent' }));
  const registration: Registration = { routes: [broken, ...pots] };
  await app.register(definePlugin({ id: 'web', setup: () => registration }), {
    registration,
    deps: { authenticate, idempotency },
  });
  t.teardown(() => app.close());
  const get = (url: string, accept: string) => app.inject({ method: 'GET', url, headers: { accept } });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const html = { 'content-type': /^text\/html/, 'content-security-policy': /^default-src 'none'/ };
  t.match(await get('/gone', browser), { statusCode: 404, headers: html, body: /<code>not_found<\/code>/ });
  t.notMatch((await get('/gone', browser)).body, /http-equiv="refresh"/);
  t.match(await get('/late', browser), { statusCode: 503, body: /http-equiv="refresh"/ });
  t.match(await get('/a%zz', browser), { headers: html }, 'an address that cannot be read');
  for (const accept of ['*/*', 'application/json', 'application/problem+json, text/html;q=0.5'])
    t.match(await get('/gone', accept), { headers: { 'content-type': /json/ } }, accept);
  const call = await app.inject({ method: 'POST', url: '/api/v1/pots', headers: { accept: browser }, payload: 'x' });
  t.match(call.headers, { 'content-type': /json/ }, 'a call of the API');
});

t.test('below what other plugins own, a page at / answers nothing', async (t) => {
  const app = await served(t);
  const ask = (method: 'GET' | 'POST', url: string) => app.inject({ method, url });
  for (const url of ['/api', '/api/', '/api/v1/none', '/api/v1/pots/a/b', '/api/v2?x'])
    t.match((await ask('GET', url)).json(), { status: 404, code: 'route_not_found' }, url);
  t.match(await ask('GET', '/api/v1/pots'), { statusCode: 405, headers: { allow: 'POST' } });
  t.match((await ask('POST', '/api/v1/none')).json(), { status: 404 });
  t.match(await ask('POST', '/anywhere'), { statusCode: 405, headers: { allow: 'GET' } });
});

t.test('the owner of / brings pages for anyone and no route of the API', async (t) => {
  const manifest = { id: 'web', prefixes: ['/'], packageName: 'web', version: '1' } as unknown as Manifest;
  const plugin = definePlugin({ id: 'web', setup: () => ({ routes: [] }) });
  t.strictSame(differences(manifest, plugin, { routes: web }), []);
  t.match(differences(manifest, plugin, { routes: pots }), [/under none of its prefixes/, /under none/]);
});
