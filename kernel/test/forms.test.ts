import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { allowedOrigins, allowOrigins, OriginsError } from '@weir/http-limits';
import { pino } from 'pino';
import t from 'tap';
import { anyone } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { problem } from '../src/contract/problem.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { Closed } from '../src/contract/shapes.ts';
import type { Authenticate } from '../src/http/authenticate.ts';
import { type AnyRoute, handle, registerRoutes } from '../src/http/handle.ts';
import { isRaw, raw } from '../src/http/raw.ts';
import { createServer } from '../src/http/server.ts';
import { createLog } from '../src/log/log.ts';

const authenticate: Authenticate = () => async (request) => {
  request.caller = { principal: { kind: 'anonymous' }, tenant: undefined };
};
const deps = { authenticate, idempotency: { once: (_call: unknown, work: () => unknown) => work() } as never };
const common = { summary: 'x', access: anyone };
const ARROW = 'application/vnd.apache.arrow.stream';

const table = endpoint({
  ...common,
  id: 'x.table',
  method: 'GET',
  path: '/table',
  response: Type.Object({ rows: Type.Integer() }),
  produces: [ARROW],
  deprecated: { since: '2026-01-02', successor: '/cells' },
});
const config = {
  ...common,
  method: 'POST',
  body: Closed({ name: Type.String() }),
  response: Type.Object({ name: Type.String() }),
} as const;
const declared = endpoint({ ...config, id: 'x.declared', path: '/declared', declarative: true });
const plain = endpoint({ ...config, id: 'x.plain', path: '/plain' });

const OLD = { deprecation: '@1767312000', link: '</api/v1/cells>; rel="successor-version"' };

function serverWith(t: { teardown(work: () => unknown): void }, routes: AnyRoute[]) {
  const app = createServer(pino({ level: 'silent' }));
  registerRoutes(app, routes, deps);
  t.teardown(() => app.close());
  return app;
}

t.test('an endpoint with two forms answers in the one that Accept prefers, and 406 when it is neither', async (t) => {
  const app = serverWith(t, [
    handle(table, async ({ mediaType }) =>
      mediaType === ARROW
        ? raw({ type: ARROW, body: Readable.from(['A', 'B']), headers: { 'x-more': '1' } })
        : { rows: 2 },
    ),
  ]);
  const get = (accept?: string) =>
    app.inject({ url: '/api/v1/table', headers: accept === undefined ? {} : { accept } });
  for (const accept of [undefined, '*/*', 'application/json', `${ARROW};q=0.1, application/json`]) {
    const answer = await get(accept);
    t.match(answer.headers, { 'content-type': /^application\/json/, ...OLD }, String(accept));
    t.strictSame(answer.json(), { rows: 2 });
  }
  for (const accept of [ARROW, `application/json;q=0.5, ${ARROW}`]) {
    const answer = await get(accept);
    t.match(answer.headers, { 'content-type': ARROW, 'x-more': '1', ...OLD }, accept);
    t.equal(answer.body, 'AB');
  }
  const none = await get('text/html');
  t.match([none.statusCode, none.json()], [406, { code: 'not_acceptable' }]);
});

t.test('what only looks like an answer of its own goes through the response schema', async (t) => {
  t.equal(isRaw({ raw: true, type: 'text/html', body: '<script>', headers: {} }), false);
});

t.test('a declarative route reads YAML as it reads JSON; any other refuses the media type', async (t) => {
  const app = serverWith(t, [handle(declared, async ({ body }) => body), handle(plain, async ({ body }) => body)]);
  const post = (url: string, payload: string, type = 'application/yaml') =>
    app.inject({ method: 'POST', url: `/api/v1${url}`, headers: { 'content-type': type }, payload });
  t.match((await post('/declared', 'name: 2026-01-02')).json(), { name: '2026-01-02' });
  t.match((await post('/declared', '{"name": "x"}')).json(), { name: 'x' });
  t.match((await post('/declared', 'name: [')).json(), { code: 'malformed_yaml' });
  t.match((await post('/declared', 'name: .inf')).json(), { code: 'yaml_not_json' });
  t.match((await post('/declared', 'name: 7')).json(), { code: 'validation_failed' });
  const unread = { code: 'unsupported_media_type', hint: 'Send Content-Type: application/json.' };
  t.match((await post('/plain', 'name: x')).json(), unread);
  const refused = { code: 'unsupported_media_type', hint: 'Send Content-Type: application/json or application/yaml.' };
  t.match((await post('/declared', 'name: x', 'text/yaml')).json(), refused);
});

t.test('a query out of bounds, or of an unknown name → the bound and the known names, not what was sent', async (t) => {
  const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500 }));
  const list = endpoint({ ...common, id: 'x.list', method: 'GET', path: '/list', query: Closed({ limit }) });
  const app = serverWith(t, [handle(list, async () => undefined as never)]);
  const faults = async (query: string) => (await app.inject({ url: `/api/v1/list?${query}` })).json().errors;
  for (const [sent, message] of [
    ['limit=0', 'must be from 1 to 500'],
    ['limit=abc', 'must be a whole number from 1 to 500'],
  ] as const)
    t.match(await faults(sent), [{ pointer: '/query/limit', message }]);
  const [unknown] = await faults('hunter2=1');
  t.match(unknown, { pointer: '/query', message: 'has an unknown member; it may have `limit`', known: ['limit'] });
});

t.test(
  'steps of a problem → filled from the path and members; one that needs what is unknown is left out',
  async (t) => {
    const next = [
      { operation: 'x.read', params: { thing_id: '{thing_id}', status: 'open' }, text: 'Read it' },
      { operation: 'x.end', params: { id: '{run_id}' }, text: 'End the run' },
      { operation: 'x.look', params: { id: '{unknown}' }, text: 'Look' },
    ];
    const taken = problem({ code: 'thing_taken', status: 409, title: 'X', detail: 'X.', hint: 'Wait.', next });
    const params = Type.Object({ thing_id: Type.String() });
    const route = endpoint({ ...common, id: 'x.take', method: 'GET', path: '/take/:thing_id', params });
    const details = [{ members: { run_id: 'r1' } }, { hint: 'Its own.' }, { next: next.slice(0, 1) }];
    const thrown = [...details];
    const app = serverWith(t, [handle(route, () => Promise.reject(taken(thrown.shift())))]);
    const answer = async () => (await app.inject({ url: '/api/v1/take/a%7Bb%7D' })).json();
    const read = { operation: 'x.read', params: { thing_id: 'a{b}', status: 'open' }, text: 'Read it' };
    t.strictSame((await answer()).next, [read, { operation: 'x.end', params: { id: 'r1' }, text: 'End the run' }]);
    t.equal((await answer()).next, undefined, 'a hint of its own stands in place of the steps of the table');
    t.strictSame((await answer()).next, [read]);
  },
);

t.test('a declared 501 or 503 is logged without a stack, and tells when to come back unless it lasts', async (t) => {
  const entry = { title: 'X', detail: 'X.', hint: 'Wait.' };
  const problems = [
    problem({ ...entry, code: 'feature_missing', status: 501 }),
    problem({ ...entry, code: 'store_away', status: 503 }),
    problem({ ...entry, code: 'key_missing', status: 503, lasting: true }),
    kernelProblems.internal,
  ];
  const lines: Record<string, unknown>[] = [];
  const app = createServer(
    createLog({ level: 'info', name: 'test', destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
  );
  t.teardown(() => app.close());
  const routes = problems.map((thrown) => {
    const { code } = thrown.entry;
    const route = endpoint({ ...common, id: `x.${code}`, method: 'GET', path: `/${code}`, response: Type.Object({}) });
    return handle(route, () => Promise.reject(thrown({ cause: new Error('the cause') })));
  });
  registerRoutes(app, routes, deps);
  const waits: unknown[] = [];
  for (const { entry } of problems) waits.push((await app.inject(`/api/v1/${entry.code}`)).headers['retry-after']);
  t.strictSame(waits, [undefined, '1', undefined, undefined]);
  t.match(
    lines.filter(({ code }) => code !== undefined),
    [
      { level: 'info', code: 'feature_missing', err: undefined },
      { level: 'warn', code: 'store_away', reason: 'the cause', err: undefined },
      { level: 'warn', code: 'key_missing', err: undefined },
      { level: 'error', code: 'internal', err: { stack: String } },
    ],
  );
  t.equal(lines.filter((line) => JSON.stringify(line).includes('stack')).length, 1);
});

t.test('pages of the listed origins may call, by their exact spelling, and no other page', async (t) => {
  const app = createServer(pino({ level: 'silent' }));
  t.teardown(() => app.close());
  await allowOrigins(app, allowedOrigins('https://ui.example.org, http://127.0.0.1:5173'));
  registerRoutes(app, [handle(plain, async ({ body }) => body)], deps);
  const preflight = (origin: string) =>
    app.inject({
      method: 'OPTIONS',
      url: '/api/v1/plain',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
  const allowed = await preflight('https://ui.example.org');
  t.match([allowed.statusCode, allowed.headers], [204, { 'access-control-allow-origin': 'https://ui.example.org' }]);
  t.notOk(allowed.headers['access-control-allow-credentials']);
  for (const origin of [
    'https://ui.example.org.evil.test',
    'https://UI.example.org',
    'http://ui.example.org',
    'null',
  ]) {
    t.notOk((await preflight(origin)).headers['access-control-allow-origin'], origin);
  }
  t.match(await app.inject({ method: 'OPTIONS', url: '/api/v1/plain' }), { statusCode: 204, body: '' });
});

t.test('an origin that is not exact refuses the start', async (t) => {
  t.strictSame(allowedOrigins(''), []);
  for (const text of [
    '*',
    'null',
    'https://a.example/',
    'https://a.example/path',
    'a.example',
    'ftp://a.example',
    'https://*.example',
    'https://A.example',
    'https://a.example:443',
  ])
    t.throws(() => allowedOrigins(`https://ok.example,${text}`), OriginsError, text);
});
