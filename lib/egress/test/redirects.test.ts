import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import t from 'tap';
import { createEgress } from '../src/index.ts';
import { listening, local, outcome, PUBLIC, recorded, serving } from './kit.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const toLoopback = async () => ['127.0.0.1'];

t.test('a name that leads elsewhere when it is asked again is never asked again', async (t) => {
  const port = await serving((_request, response) => response.end('reached'));
  const answers = [[PUBLIC], ['127.0.0.1']];
  const dialled: string[] = [];
  const egress = createEgress({
    resolve: async () => answers.shift() ?? [],
    connect: recorded(dialled),
    ports: [port],
  });
  t.equal(await outcome(egress, `http://rebinding.test:${port}/`), 'read: reached');
  t.strictSame(dialled, [PUBLIC]);
  t.equal(await outcome(egress, `http://rebinding.test:${port}/`), 'address_refused');
  t.strictSame(dialled, [PUBLIC]);
});

t.test('a connection that ends up elsewhere is refused before a byte is sent', async (t) => {
  let asked = 0;
  const port = await serving((_request, response) => {
    asked += 1;
    response.end();
  });
  const { connect } = await import('../src/connect.ts');
  const egress = createEgress({
    resolve: async () => [PUBLIC],
    connect: (target, signal) => connect({ ...target, address: '127.0.0.1' }, signal),
    ports: [port],
  });
  t.equal(await outcome(egress, `http://any.test:${port}/`), 'address_refused');
  t.equal(asked, 0);
});

t.test('each redirect is resolved and checked like a first address', async (t) => {
  let inside = 0;
  const port = await serving((request, response) => {
    if (request.url === '/inside') inside += 1;
    const location = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    response.writeHead(location === null ? 200 : 302, location === null ? {} : { location }).end('reached');
  });
  const names: Record<string, string[]> = { 'out.test': [PUBLIC], 'in.test': ['127.0.0.1'] };
  const dialled: string[] = [];
  const egress = createEgress({
    resolve: async (name) => names[name] ?? [],
    connect: recorded(dialled),
    ports: [port],
  });
  for (const [to, code] of [
    [`http://in.test:${port}/inside`, 'address_refused'],
    [`http://127.0.0.1:${port}/inside`, 'address_refused'],
    [`//[::ffff:127.0.0.1]:${port}/inside`, 'address_refused'],
    [`//user@out.test:${port}/inside`, 'userinfo_refused'],
    ['http://out.test:22/inside', 'port_refused'],
    ['file:///inside', 'scheme_refused'],
    ['http://[::1/inside', 'redirect_refused'],
    [`http://out.test:${port}/whole`, 'read: reached'],
    ['/whole', 'read: reached'],
  ] as const) {
    t.equal(await outcome(egress, `http://out.test:${port}/?to=${encodeURIComponent(to)}`), code, to);
  }
  t.equal(inside, 0);
  t.strictSame([...new Set(dialled)], [PUBLIC]);
});

t.test('three redirects are followed and a fourth is not, nor one that names no place', async (t) => {
  const port = await serving((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left < 0) response.writeHead(301).end();
    else if (left > 0) response.writeHead(307, { location: `/${left - 1}` }).end();
    else response.end('reached');
  });
  t.equal(await outcome(local([port]), `http://127.0.0.1:${port}/3`), 'read: reached');
  t.equal(await outcome(local([port]), `http://127.0.0.1:${port}/4`), 'too_many_redirects');
  t.equal(await outcome(local([port]), `http://127.0.0.1:${port}/-1`), 'redirect_refused');
});

t.test('headers of the caller stay with the origin that they are for, and none of ours can be set', async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const other = await serving((request, response) => {
    seen.push(request.headers);
    response.end('reached');
  });
  const first = await serving((request, response) => {
    seen.push(request.headers);
    const location = request.url === '/near' ? '/there' : `http://127.0.0.1:${other}/`;
    if (request.url === '/there') response.end('reached');
    else response.writeHead(302, { location }).end();
  });
  const secret = { Authorization: 'canary', Cookie: 'canary', 'X-Api-Key': 'canary', Accept: 'text/csv' };
  const how = { headers: secret, range: { start: 5, end: 9 } };
  await outcome(local([first, other]), `http://127.0.0.1:${first}/near`, how);
  t.match(seen.splice(0), [
    { authorization: 'canary' },
    { authorization: 'canary', cookie: 'canary', range: 'bytes=5-9' },
  ]);
  await outcome(local([first, other]), `http://127.0.0.1:${first}/far`, how);
  t.match(seen[1], { accept: 'text/csv', range: 'bytes=5-9', host: `127.0.0.1:${other}`, connection: 'close' });
  t.notMatch(JSON.stringify(seen[1]), /canary/);
  for (const name of ['Host', 'CONNECTION', 'Content-Length', 'transfer-encoding', 'Proxy-Authorization']) {
    t.equal(
      await outcome(local([first]), `http://127.0.0.1:${first}/`, { headers: { [name]: '1' } }),
      'header_refused',
      name,
    );
  }
});

t.test(
  'https goes to the checked address with the name of the URL, trusts no other name, and never falls to http',
  async (t) => {
    const plain = await serving((_request, response) => response.end('reached'));
    const server = createTlsServer({ key: fixture('key.pem'), cert: fixture('cert.pem') }, (request, response) => {
      if (request.url === '/down') response.writeHead(302, { location: `http://files.test:${plain}/` }).end();
      else response.end(`as ${request.headers.host}`);
    });
    const port = await listening(server);
    const egress = local([port, plain], { resolve: toLoopback });
    t.equal(await outcome(egress, `https://files.test:${port}/`), 'tls_failed');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, fixture('cert.pem')]);
    t.teardown(() => setDefaultCACertificates(before));
    t.equal(await outcome(egress, `https://files.test:${port}/`), `read: as files.test:${port}`);
    t.equal(await outcome(egress, `https://files.test.:${port}/`), `read: as files.test.:${port}`);
    t.equal(await outcome(egress, `https://other.test:${port}/`), 'tls_failed');
    t.equal(await outcome(egress, `https://127.0.0.1:${port}/`), 'tls_failed');
    t.equal(await outcome(egress, `https://files.test:${port}/down`), 'redirect_refused');
    t.equal(await outcome(egress, `https://files.test:${plain}/`), 'tls_failed');
  },
);
