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
  const config = (token: string) =>
    JSON.stringify({ url: `http://127.0.0.1:${port}`, token, start_date: '2026-01-01' });
  const broken = (await readFile(MANIFEST, 'utf8')).replace('type: PageIncrement', 'type: CustomPaginationStrategy');
  const dir = t.testdir({ 'good.json': config(TOKEN), 'bad.json': config('another'), 'broken.yaml': broken });
  const env = { ...process.env, WEIR_EGRESS_ALLOW: '127.0.0.1', WEIR_EGRESS_PORTS: String(port) };
  const weir = (...words: string[]) =>
    promisify(execFile)(process.execPath, [WEIR, 'connectors', 'test', ...words], { env, cwd: dir }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
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
