import { clientAddress, trustedProxies } from '@weir/http-limits';
import fc from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import { anyone } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { createServer } from '../src/http/server.ts';

const where = endpoint({ id: 'test.where', method: 'GET', path: '/where', summary: 'Where from', access: anyone });

/** A server that believes these proxies, and answers where it thinks that a call came from. */
async function serverBehind(t: { teardown(work: () => unknown): void }, proxies: string) {
  const app = createServer(pino({ level: 'silent' }), trustedProxies(proxies));
  app.get('/where', { config: { endpoint: where } }, async (request) => clientAddress(request));
  t.teardown(() => app.close());
  return async (peer: string, forwarded?: string): Promise<string> => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await app.inject({ url: '/where', remoteAddress: peer, headers })).body;
  };
}

t.test('what a peer says of others counts only when it is a proxy that is trusted', async (t) => {
  const from = await serverBehind(t, ' 10.1.0.0/16, 2001:db8::/64 ,192.0.2.7/32');
  t.equal(await from('10.1.2.3'), '10.1.2.3', 'it says nothing');
  t.equal(await from('203.0.113.5', '198.51.100.1'), '203.0.113.5', 'a stranger');
  t.equal(await from('10.2.0.1', '198.51.100.1'), '10.2.0.1', 'the network beside it');
  t.equal(await from('10.1.2.3', '198.51.100.1'), '198.51.100.1');
  t.equal(await from('::ffff:10.1.2.3', '198.51.100.1'), '198.51.100.1', 'the same in the form of IPv6');
  t.equal(await from('2001:db8::9', '2001:db8:1::5'), '2001:db8:1::5');
  t.equal(
    await from('10.1.2.3', '1.1.1.1, 198.51.100.1'),
    '198.51.100.1',
    'what it added last, whatever was sent to it',
  );
  t.equal(await from('10.1.2.3', '1.1.1.1, 198.51.100.1, 192.0.2.7'), '198.51.100.1', 'two proxies in a row');
  const odd = [
    'garbage',
    '198.51.100.1:80',
    '"198.51.100.1"',
    `fe80::1%${'x'.repeat(99)}`,
    '999.1.1.1',
    'x'.repeat(5_000),
  ];
  for (const text of odd) t.equal(await from('10.1.2.3', `1.1.1.1, ${text}`), '10.1.2.3', text.slice(0, 20));
});

t.test('an untrusted peer forwards → one warning names it; a trusted proxy gets none', async (t) => {
  const lines: { peer?: string; msg: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = createServer(log, trustedProxies('10.1.0.0/16'));
  t.teardown(() => app.close());
  app.get('/where', { config: { endpoint: where } }, async () => 'here');
  const call = (remoteAddress: string, headers = {}) => app.inject({ url: '/where', remoteAddress, headers });
  const forwarded = { 'x-forwarded-for': '198.51.100.1' };
  await call('203.0.113.5');
  for (const peer of ['10.1.2.3', '203.0.113.5', '203.0.113.5', '203.0.113.6']) await call(peer, forwarded);
  t.match(lines, [{ peer: '203.0.113.5', msg: /WEIR_TRUSTED_PROXIES/ }, { peer: '203.0.113.6' }]);
  t.equal(lines.length, 2);
  for (let n = 0; n < 50; n += 1) await call(`203.0.113.${100 + n}`, forwarded);
  t.equal(lines.length, 20, 'a bounded number');
});

t.test('nobody is trusted unless it is said', async (t) => {
  const from = await serverBehind(t, '');
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  const law = fc.asyncProperty(address, fc.array(address), async (peer, others) => {
    t.equal(await from(peer, others.join(', ')), peer);
  });
  await fc.assert(law, { numRuns: 200 });
});

t.test('networks that are none, and all addresses at once, are refused', async (t) => {
  const odd = [
    '10.0.0.1',
    '10.0.0.0/33',
    '2001:db8::/129',
    '0.0.0.0/0',
    '::/0',
    '999.0.0.0/8',
    'loopback',
    '10.0.0.0/08',
  ];
  for (const text of [...odd, '10.0.0.0/8;10.1.0.0/16', '*', '10.0.0.0/8 192.0.2.0/24', '10.0.0.0/-1', 'fe80::%1/64'])
    t.throws(() => trustedProxies(text), { name: 'ProxiesError' }, text);
});
