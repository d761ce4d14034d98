import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import t from 'tap';
import { HASTY_MS, PATIENT_MS, pace, until } from '../../../test/until.ts';
import { createEgress } from '../src/index.ts';
import { listening, local, outcome, serving } from './kit.ts';

/** A server that says what it is told as soon as it was asked, then does as told. */
async function raw(head: string, then: (write: (text: string) => boolean, end: () => void) => void = () => undefined) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(head);
      then(
        (more) => !socket.destroyed && socket.write(more),
        () => socket.end(),
      );
    });
  });
  return listening(server);
}
const OK = 'HTTP/1.1 200 OK\r\n\r\n';
const forEver = (part: string) => async (write: (text: string) => boolean) => {
  while (write(part)) await pace(5);
};

t.test('a server that never ends is left, each way by its own code', async (t) => {
  const bounds = { connectMs: PATIENT_MS, headersMs: PATIENT_MS, idleMs: PATIENT_MS, totalMs: PATIENT_MS };
  for (const [rule, head, then, more, code] of [
    ['says nothing', '', undefined, { headersMs: HASTY_MS }, 'headers_timeout'],
    [
      'sends header after header',
      'HTTP/1.1 200 OK\r\n',
      forEver('a: b\r\n'),
      { headersMs: HASTY_MS },
      'headers_timeout',
    ],
    ['stops in its answer', `${OK}some`, undefined, { idleMs: HASTY_MS }, 'idle_timeout'],
    ['sends a byte now and then', OK, forEver('x'), { rateGraceMs: HASTY_MS, minBytesPerSecond: 100_000 }, 'too_slow'],
    ['sends for ever', OK, forEver('x'), { totalMs: HASTY_MS }, 'total_timeout'],
    ['sends more than is taken', OK, forEver('x'.repeat(100)), { maxBytes: 1000 }, 'too_large'],
    [
      'promises more than is taken',
      'HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n',
      undefined,
      { maxBytes: 1000 },
      'too_large',
    ],
  ] as const) {
    const port = await raw(head, then);
    t.equal(await outcome(local([port], { ...bounds, ...more }), `http://127.0.0.1:${port}/`), code, rule);
  }
});

t.test('an answer that is not whole, or none, is told by its code', async (t) => {
  const cut = (_write: unknown, end: () => void) => end();
  for (const [rule, head, code] of [
    ['huge headers', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    ['many headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}\r\n`, 'headers_too_large'],
    ['a shorter body than promised', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', 'connection_lost'],
    ['a chunk that is cut', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf', 'connection_lost'],
    ['no answer', '', 'connection_lost'],
    ['half a head', 'HTTP/1.1 200 OK\r\na', 'connection_lost'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'response_invalid',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'response_invalid'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'connection_lost'],
  ] as const) {
    const port = await raw(head, cut);
    t.equal(await outcome(local([port]), `http://127.0.0.1:${port}/`), code, rule);
  }
});

t.test('a server that is not there is connect_failed; one of several addresses suffices', async (t) => {
  const port = await serving((_request, response) => response.end('reached'));
  const names: Record<string, string[]> = { 'none.test': ['127.0.0.3'], 'some.test': ['127.0.0.3', '127.0.0.1'] };
  const egress = local([port], { resolve: async (name) => names[name] ?? [] });
  t.equal(await outcome(egress, `http://none.test:${port}/`), 'connect_failed');
  t.equal(await outcome(egress, `http://some.test:${port}/`), 'read: reached');
});

t.test('a resolver or a connection that hangs is left', async (t) => {
  const never = () => new Promise<never>(() => undefined);
  t.equal(await outcome(createEgress({ resolve: never, connectMs: HASTY_MS }), 'http://any.test/'), 'name_unresolved');
  t.equal(await outcome(local([], { connect: never, connectMs: HASTY_MS }), 'http://127.0.0.1/'), 'connect_timeout');
});

t.test('the caller can end a fetch at any point, by its own reason', async (t) => {
  for (const moment of ['before the answer', 'in its body']) {
    const stop = new AbortController();
    const enough = () => stop.abort(new Error('enough'));
    const port = moment === 'in its body' ? await raw(`${OK}half`) : await raw('', enough);
    const reading = local([port])
      .open(`http://127.0.0.1:${port}/`, { signal: stop.signal })
      .then(({ body }) => text(body.once('data', enough)));
    await t.rejects(reading, { message: 'enough' }, moment);
    await t.rejects(local([port]).open(`http://127.0.0.1:${port}/`, { signal: stop.signal }), { message: 'enough' });
  }
});

t.test('an answer of any status comes with its headers, its body and the address it came from', async (t) => {
  const port = await serving((request, response) => {
    if (request.url === '/a?b') response.writeHead(302, { location: '/c?d' }).end();
    else response.writeHead(404, { ETag: '"x"', 'x-two': ['1', '2'] }).end('gone');
  });
  const { status, headers, body, url } = await local([port]).open(`http://127.0.0.1:${port}/a?b`);
  t.equal(status, 404);
  t.match(headers, { etag: '"x"', 'x-two': '1, 2' });
  t.equal(url, `http://127.0.0.1:${port}/c?d`);
  t.equal(await text(body), 'gone');
});

t.test(
  'a reader that takes its time is not held against the server, and one that leaves ends the connection',
  async (t) => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const block = 'x'.repeat(1 << 20);
    const port = await serving((_request, response) => {
      response.once('close', closed);
      for (let count = 0; count < 8; count += 1) response.write(block);
    });
    const bounds = {
      idleMs: PATIENT_MS,
      totalMs: 10 * PATIENT_MS,
      rateGraceMs: PATIENT_MS / 2,
      minBytesPerSecond: 1 << 20,
    };
    // Time passes for the client while the reader pauses, and only then.
    let skipped = 0;
    const now = performance.now.bind(performance);
    mock.method(performance, 'now', () => now() + skipped);
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => {
      mock.timers.reset();
      mock.restoreAll();
    });
    const { body } = await local([port], bounds).open(`http://127.0.0.1:${port}/`);
    let received = 0;
    for await (const chunk of body) {
      if (received === 0) {
        await until('a full buffer', () => body.readableLength >= body.readableHighWaterMark, 'often');
        skipped += PATIENT_MS;
        mock.timers.tick(PATIENT_MS);
      }
      received += (chunk as Buffer).length;
      if (received > 4 << 20) break;
    }
    await gone;
    t.ok(body.destroyed);
  },
);
