import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import { HASTY_MS, PATIENT_MS } from '../../../test/until.ts';
import { type Caller, CallerError, type CallerOptions, createCaller } from '../src/index.ts';
import { startFaultyService } from '../src/testing.ts';

const TOKEN = 'CNRY-token';
const BODY = 'CNRY-body';
const BOUNDS = { timeoutMs: PATIENT_MS, maxBytes: 2 ** 20, retries: 0, token: () => TOKEN };

type Step = (request: IncomingMessage, answer: ServerResponse) => unknown;

/** A service that does one step for each request, the last one from then on, and a caller that does not wait for real. */
async function service(t: Test, steps: readonly Step[], more: Partial<CallerOptions> = {}) {
  const seen: {
    method?: string | undefined;
    url?: string | undefined;
    headers: IncomingMessage['headers'];
    port: number | undefined;
    body: string;
  }[] = [];
  const server = createServer(async (request, answer) => {
    const { method, url, headers } = request;
    seen.push({
      method,
      url,
      headers,
      port: request.socket.remotePort,
      body: Buffer.concat(await request.toArray()).toString(),
    });
    await steps[Math.min(seen.length, steps.length) - 1]?.(request, answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const waits: number[] = [];
  const wait = async (ms: number) => waits.push(ms);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
  return { seen, waits, caller: createCaller({ ...BOUNDS, base, wait, ...more }) };
}

const good: Step = (_, answer) => answer.end('{"good":true}');
const status =
  (code: number, headers: Record<string, string> = {}): Step =>
  (_, answer) =>
    answer.writeHead(code, headers).end('{}');
const lost: Step = (request) => request.socket.destroy();

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof CallerError ? error.code : String(error)),
  );

t.test('each fault of a service → its code or status; no error holds an address, a credential or a body', async (t) => {
  const { faults, seen, close } = await startFaultyService();
  t.teardown(close);
  for (const { name, base, outcome } of faults) {
    const caller = createCaller({ ...BOUNDS, base, timeoutMs: outcome === 'timed_out' ? HASTY_MS : PATIENT_MS });
    const ask = async () => {
      const answer = await caller.ask({ method: 'POST', path: '/x', json: { BODY } });
      if (answer.status === 200) answer.json();
      return answer.status;
    };
    const found = await ask().catch((error: unknown) => error);
    t.equal(found instanceof CallerError ? found.code : found, outcome, name);
    t.notMatch(inspect(found, { depth: 9, showHidden: true }).replaceAll(/^ +at .*$/gm, ''), /CNRY|127\.0\.0\.1/, name);
  }
  t.equal(seen.length, faults.length - 3, 'each request arrived once; no redirect was followed');
});

t.test('a request carries what it was given, below the base', async (t) => {
  const { caller, seen } = await service(t, [good]);
  const query = { a: 'b c', '&': 'ü' };
  const answer = await caller.ask({ method: 'PUT', path: '/x%2Fy', query, json: { n: 1 }, idempotencyKey: 'k:1' });
  t.strictSame([answer.status, answer.json()], [200, { good: true }]);
  t.match(seen, [{ method: 'PUT', url: '/base/x%2Fy?a=b+c&%26=%C3%BC', body: '{"n":1}' }]);
  t.match(seen[0]?.headers, {
    ...{ authorization: `Bearer ${TOKEN}`, 'idempotency-key': 'k:1', 'content-type': 'application/json' },
    'content-length': '7',
  });
  await caller.ask({ method: 'POST', path: '/raw', bytes: Buffer.from('raw'), headers: { 'x-api-key': 'k' } });
  t.match(seen[1], { body: 'raw', headers: { 'x-api-key': 'k' } });
});

t.test('a lost answer → repeated when that is harmless, and given up after the retries', async (t) => {
  const repeated: [harmless: boolean, ask: (caller: Caller) => Promise<unknown>][] = [
    [true, (caller) => caller.ask({ method: 'GET', path: '/' })],
    [true, (caller) => caller.ask({ method: 'DELETE', path: '/' })],
    [true, (caller) => caller.ask({ method: 'POST', path: '/', json: {}, idempotencyKey: 'k' })],
    [true, (caller) => caller.ask({ method: 'POST', path: '/', json: {}, repeatable: true })],
    [false, (caller) => caller.ask({ method: 'POST', path: '/', json: {} })],
    [false, (caller) => caller.ask({ method: 'DELETE', path: '/', repeatable: false })],
  ];
  for (const [harmless, ask] of repeated) {
    for (const fault of [lost, status(429), status(503), status(408)]) {
      const { caller, seen } = await service(t, [fault, good], { retries: 2 });
      await ask(caller).catch(() => undefined);
      t.equal(seen.length, harmless ? 2 : 1);
    }
  }
  const { caller, seen } = await service(t, [lost], { retries: 2 });
  t.equal(await codeOf(caller.ask({ method: 'GET', path: '/' })), 'connection_lost');
  t.equal(seen.length, 3);
});

t.test('many requests in a row → one connection, and nothing piles up on it', async (t) => {
  const { caller, seen } = await service(t, [good]);
  const warnings: string[] = [];
  const warn = ({ name }: Error) => warnings.push(name);
  process.on('warning', warn);
  t.teardown(() => process.off('warning', warn));
  for (let n = 0; n < 20; n += 1) await caller.ask({ method: 'GET', path: '/' });
  await new Promise(setImmediate);
  t.strictSame(warnings, []);
  t.equal(new Set(seen.map(({ port }) => port)).size, 1);
});

t.test('a request that was never sent → repeated, whatever its method', async (t) => {
  const waits: number[] = [];
  const wait = async (ms: number) => waits.push(ms);
  const caller = createCaller({ ...BOUNDS, base: 'http://127.0.0.1:1', retries: 2, wait });
  const error = await caller.ask({ method: 'POST', path: '/', json: {} }).catch((error: unknown) => error);
  t.match(error, { code: 'address_unreachable', sent: false });
  t.equal(waits.length, 2);
});

t.test('Retry-After → waited for, unless it is later than the last attempt may start', async (t) => {
  const later = 'Fri, 01 Jan 2100 00:00:00 GMT';
  const { caller, seen, waits } = await service(t, [status(429, { 'retry-after': '7' }), good], { retries: 2 });
  t.equal((await caller.ask({ method: 'GET', path: '/' })).status, 200);
  t.strictSame([seen.length, waits], [2, [7_000]]);
  const patient = await service(t, [status(503, { 'retry-after': later })], { retries: 2, totalMs: 60_000 });
  const answer = await patient.caller.ask({ method: 'GET', path: '/' });
  t.equal(answer.status, 503);
  t.ok((answer.retryAfterMs ?? 0) > 3_000_000, 'the answer says how long');
  t.strictSame([patient.seen.length, patient.waits], [1, []]);
});

t.test('the signal of a request → ends it with the reason, also between attempts', async (t) => {
  const reason = new Error('gone');
  const stop = new AbortController();
  const { caller } = await service(t, [() => stop.abort(reason)]);
  await t.rejects(caller.ask({ method: 'GET', path: '/', signal: stop.signal }), reason);
  await t.rejects(caller.ask({ method: 'GET', path: '/', signal: stop.signal }), reason);
  const waiting = new AbortController();
  const slow = await service(t, [status(503)], { retries: 1, wait: undefined });
  const asked = slow.caller.ask({ method: 'GET', path: '/', signal: waiting.signal });
  waiting.abort(reason);
  await t.rejects(asked);
});

t.test('a caller that may only GET has no other method and no body, by type and when it runs', async (t) => {
  const { caller, seen } = await service(t, [good]);
  const reader: Caller<'GET'> = createCaller({ ...BOUNDS, base: 'http://127.0.0.1:1', methods: ['GET'] });
  // @ts-expect-error another method
  await t.rejects(reader.ask({ method: 'POST', path: '/' }), TypeError);
  // @ts-expect-error a body
  await t.rejects(reader.ask({ method: 'GET', path: '/', json: {} }), CallerError);
  await caller.ask({ method: 'GET', path: '/' });
  t.equal(seen.length, 1);
});

t.test('a base with credentials, a query, a fragment or another scheme → TypeError without the base', (t) => {
  for (const base of ['https://u:CNRY@h', 'http://h/?CNRY', 'http://h/#CNRY', 'ftp://CNRY', 'CNRY']) {
    t.throws(() => createCaller({ ...BOUNDS, base }), TypeError);
    try {
      createCaller({ ...BOUNDS, base });
    } catch (error) {
      t.notMatch(inspect(error, { showHidden: true }), /CNRY/);
    }
  }
  t.end();
});
