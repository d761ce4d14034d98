import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WEIR = path.join(ROOT, 'cli/bin/weir.mjs');
const MANIFEST = path.join(ROOT, 'connectors/http/examples/shop.yaml');
const TOKEN = 'cnry-token-0123';

/** Nobody listens there, and nobody is given it who asks for any port. */
const CLOSED = 2;

/** Runs `weir connectors test` in a folder, with a port of this machine open to it. */
const tester = (dir: string, port: number) => {
  const env = { ...process.env, WEIR_EGRESS_ALLOW: '127.0.0.1', WEIR_EGRESS_PORTS: String(port) };
  return (...words: string[]) =>
    promisify(execFile)(process.execPath, [WEIR, 'connectors', 'test', ...words], { env, cwd: dir }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
};
const configOf = (port: number, token = TOKEN) =>
  JSON.stringify({ url: `http://127.0.0.1:${port}`, token, start_date: '2026-01-01' });

t.test('a server that is not there, or that asks for patience, is named as it is, and no time goes by', async (t) => {
  const away = await tester(t.testdir({ 'c.json': configOf(CLOSED) }), CLOSED)(
    MANIFEST,
    '--config',
    'c.json',
    '-o',
    'json',
  );
  t.equal(away.code, 1);
  t.match(JSON.parse(away.stdout), {
    requests: [{ method: 'GET' }],
    fault: { code: 'server_unreachable', pointer: /requester/ },
  });
  t.equal(JSON.parse(away.stdout).requests.length, 1);
  const server = createServer((_request, response) => response.writeHead(503, { 'retry-after': '60' }).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port: busy } = server.address() as AddressInfo;
  const dir = t.testdir({ 'c.json': configOf(busy) });
  const later = await tester(dir, busy)(MANIFEST, '--config', 'c.json', '-o', 'json');
  t.equal(later.code, 1);
  const { fault, requests } = JSON.parse(later.stdout);
  t.match(fault, { code: 'server_failed', hint: /A test does not wait the 60 seconds/, pointer: /requester/ });
  t.match(requests, [{ status: 503 }]);
});

t.test('a stream that the manifest has not is the fault of the line, and those that it has are named', async (t) => {
  const weir = tester(t.testdir({ 'c.json': configOf(9) }), 9);
  const unknown = await weir(MANIFEST, '--config', 'c.json', '--stream', 'nope');
  t.equal(unknown.code, 6);
  t.match(
    unknown.stdout,
    /fault stream_unknown: The manifest has no stream of this name\n {2}hint: Its streams: shops, orders/,
  );
  t.notMatch(unknown.stdout, /Discover|at -/);
});

t.test('a manifest is tried without a server: requests without secrets, records, and where a fault lies', async (t) => {
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname } = new URL(url, 'http://x');
    if (headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end('{}');
    const data =
      pathname === '/shops' ? [{ id: 7 }] : [{ id: 1, amount: 'AMOUNT', updated_at: '2026-02-01T00:00:00Z' }];
    return response.end(JSON.stringify({ data }).replace('"AMOUNT"', '12345678901234567.89'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const broken = (await readFile(MANIFEST, 'utf8')).replace('type: PageIncrement', 'type: CustomPaginationStrategy');
  const dir = t.testdir({ 'good.json': configOf(port), 'bad.json': configOf(port, 'another'), 'broken.yaml': broken });
  const weir = tester(dir, port);
  const shown = await weir(MANIFEST, '--config', 'good.json', '--stream', 'orders');
  t.equal(shown.code, 0);
  t.match(shown.stdout, /GET \S+\/shops\/7\/orders\?\S*updated_since=2026-01-01T00%3A00%3A00Z/);
  t.match(shown.stdout, /authorization: Bearer \*\*\*\*/);
  t.match(shown.stdout, /\{"id":1,"amount":12345678901234567\.89,.*"shop_id":7\}/);
  t.match(shown.stdout, /"cursor":\{"updated_at":"2026-02-01T00:00:00Z"\}/);
  t.notMatch(shown.stdout, TOKEN);
  const refused = await weir(MANIFEST, '--config', 'bad.json', '-o', 'json');
  t.equal(refused.code, 1);
  t.match(JSON.parse(refused.stdout), {
    stream: 'shops',
    fault: { code: 'request_unauthorized', pointer: /requester/ },
  });
  const unknown = await weir('broken.yaml', '--config', 'good.json', '-o', 'json');
  t.equal(unknown.code, 6);
  t.match(JSON.parse(unknown.stdout).fault, {
    code: 'manifest_unsupported',
    pointer: /\/definitions\/pages\/pagination_strategy$/,
  });
});
