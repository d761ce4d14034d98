import { type AddressInfo, connect, type Socket } from 'node:net';
import { CONNECTION_LIMITS, type ConnectionLimits, trustedProxies } from '@weir/http-limits';
import { pino } from 'pino';
import t from 'tap';
import { good, provider, rulesFor, sign } from '../../lib/tokens/test/signed-tokens.ts';
import { HASTY_MS } from '../../test/until.ts';
import { anyone, knownPermission } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { contributions } from '../src/contributions/contributions.ts';
import { type Authenticate, authenticator } from '../src/http/authenticate.ts';
import { createServer } from '../src/http/server.ts';

const ping = endpoint({ id: 'test.ping', method: 'GET', path: '/ping', summary: 'Ping', access: anyone });
const guarded = endpoint({ ...ping, id: 'test.guarded', path: '/guarded', access: knownPermission('test:read') });
const REQUEST = 'GET /ping HTTP/1.1\r\nHost: x\r\n\r\n';

/** A listening server, and clients that never close their side. */
async function serverWith(
  t: { teardown(work: () => unknown): void },
  limits: Partial<ConnectionLimits>,
  { proxies = '', big = 0, authenticate = undefined as Authenticate | undefined } = {},
) {
  const warned: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) });
  const app = createServer(log, trustedProxies(proxies), { ...CONNECTION_LIMITS, ...limits });
  app.get('/ping', { config: { endpoint: ping } }, async () => 'x'.repeat(big) || 'pong');
  const onRequest = authenticate?.(guarded);
  if (onRequest !== undefined) app.get('/guarded', { config: { endpoint: guarded }, onRequest }, async () => 'x');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const clients: Socket[] = [];
  t.teardown(async () => {
    for (const client of clients) client.destroy();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const open = (localAddress = '127.0.0.1') => {
    const client = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const held = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
  return { app, open, held, warned };
}

/** What the server answered until it ended its side. */
async function answerOf(client: Socket): Promise<string> {
  let answer = '';
  for await (const chunk of client) answer += chunk;
  return answer;
}

/** Resolves when the server has freed the next `count` connections. */
function freed({ app }: Awaited<ReturnType<typeof serverWith>>, count: number): Promise<void> {
  return new Promise((resolve) => {
    app.server.on('connection', (socket: Socket) =>
      socket.once('close', () => {
        count -= 1;
        if (count === 0) resolve();
      }),
    );
  });
}

t.test('clients that are refused and never close → answered, then freed', async (t) => {
  const server = await serverWith(t, { lingerMs: HASTY_MS });
  const all = freed(server, 50);
  const answers = Array.from({ length: 50 }, () => {
    const client = server.open();
    client.write('no HTTP\r\n\r\n');
    return answerOf(client);
  });
  for (const answer of await Promise.all(answers)) t.match(answer, /"code":"malformed_request"/);
  await all;
  t.equal(await server.held(), 0);
});

t.test('clients that are refused and go on sending → freed', async (t) => {
  const server = await serverWith(t, { lingerMs: HASTY_MS });
  const all = freed(server, 1);
  const client = server.open();
  client.write('no HTTP\r\n\r\n');
  client.on('data', () => client.write('more\r\n\r\n'));
  await all;
  t.equal(await server.held(), 0);
});

t.test('clients that send no whole request and never close → 408, then freed', async (t) => {
  const server = await serverWith(t, { lingerMs: HASTY_MS, headersTimeoutMs: HASTY_MS, checkIntervalMs: HASTY_MS });
  const all = freed(server, 3);
  const answers = ['', 'GET /pi', 'GET /ping HTTP/1.1\r\nHost: x\r\n'].map((text) => {
    const client = server.open();
    client.write(text);
    return answerOf(client);
  });
  for (const answer of await Promise.all(answers)) t.match(answer, /^HTTP\/1.1 408 [\s\S]*"code":"request_timeout"/);
  await all;
  t.equal(await server.held(), 0);
});

t.test('a client that never reads its answer → freed', async (t) => {
  const server = await serverWith(t, { silenceMs: HASTY_MS }, { big: 32 * 1024 * 1024 });
  const all = freed(server, 1);
  const client = server.open();
  client.pause().write(REQUEST);
  await all;
  t.equal(await server.held(), 0);
});

t.test('one address has its bound of connections → the oldest are dropped, other addresses are served', async (t) => {
  const server = await serverWith(t, { perAddress: 3 });
  const gone = freed(server, 3);
  const first = [server.open(), server.open(), server.open()];
  for (const client of first) await answered(client);
  for (const client of [server.open(), server.open()]) await answered(client);
  for (const client of first.slice(0, 2)) t.equal(await answered(client), '');
  t.equal(await server.held(), 3);
  await answered(server.open('127.0.0.2'));
  t.equal(server.warned.length, 1, 'one warning a minute');
  t.match(server.warned[0], /too many connections/);
  first[2]?.destroy();
  await gone;
  await answered(server.open());
});

t.test('an address floods with silent connections → a valid caller from it is served and stays', async (t) => {
  const { issuer } = await provider(t);
  const authenticate = authenticator({
    ...{ rules: rulesFor(issuer), contributions: contributions() },
    tenants: { byAlias: async () => undefined, list: async () => [] },
    tenantPlugins: { isEnabled: async () => true },
  });
  const server = await serverWith(t, { perAddress: 3 }, { authenticate });
  const request = (token: string) => `GET /guarded HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const [known, guessed] = [request(await sign(good(issuer))), request('guessed')];
  const flood = async () => {
    const silent = [server.open(), server.open(), server.open(), server.open()];
    t.match(await answered(silent[3] as Socket, guessed), / 401 /);
    t.equal(await answered(silent[0] as Socket, guessed), '', 'the oldest makes room');
  };
  await flood();
  const caller = server.open();
  t.match(await answered(caller, known), / 200 /, 'a new connection takes the place of the oldest without a caller');
  await flood();
  t.match(await answered(caller, known), / 200 /, 'a flood takes no place of a caller');
  const more = [server.open(), server.open()];
  for (const client of more) t.match(await answered(client, known), / 200 /);
  t.equal(await answered(server.open(), known), '', 'callers alone have the same bound');
  t.match(await answered(caller, known), / 200 /);
  t.equal(await server.held(), 3);
});

t.test('trusted proxies → no bound by address, but the bound in all', async (t) => {
  const server = await serverWith(t, { perAddress: 1, total: 3 }, { proxies: '127.0.0.0/8' });
  for (const client of [server.open(), server.open(), server.open()]) await answered(client);
  t.equal(await answerOf(server.open()).catch(() => ''), '');
  t.equal(await server.held(), 3);
});

async function answered(client: Socket, request = REQUEST): Promise<string> {
  if (client.readableEnded || client.destroyed) return '';
  client.write(request);
  return new Promise((resolve) => {
    client.once('data', (answer) => resolve(String(answer)));
    client.once('end', () => resolve('')).once('error', () => resolve(''));
  });
}
