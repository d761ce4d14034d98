import { BlockList } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { createEgress, EGRESS_FAULTS, EgressError, egressSettings } from '../src/index.ts';
import { parseAddress } from '../src/network.ts';
import { outcome, PUBLIC, recorded, serving } from './kit.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'app.localhost': ['::1'],
  '127.0.0.1.nip.test': ['127.0.0.1'],
  'metadata.cloud.test': ['169.254.169.254'],
  'mixed.test': [PUBLIC, '10.0.0.1'],
  'zone.test': ['fe80::1%eth0'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'xn--mgbh0fb.test': ['192.168.1.1'],
  'empty.test': [],
};

/** Spellings of places inside, each with the code that it is refused by. */
const SPELLINGS: readonly (readonly [url: string, code: string])[] = [
  ['http://127.0.0.1/', 'address_refused'],
  ['http://127.1/', 'address_refused'],
  ['http://127.0.1/', 'address_refused'],
  ['http://2130706433/', 'address_refused'],
  ['http://0x7f000001/', 'address_refused'],
  ['http://0x7f.1/', 'address_refused'],
  ['http://0x7F.0x0.0x0.0x1/', 'address_refused'],
  ['http://017700000001/', 'address_refused'],
  ['http://0177.0.0.1/', 'address_refused'],
  ['http://0177.0x0.1/', 'address_refused'],
  ['http://127.0.0.1./', 'address_refused'],
  ['http://127.255.255.254/', 'address_refused'],
  ['http://%31%32%37.0.0.1/', 'address_refused'],
  ['http://１２７.０.０.１/', 'address_refused'],
  ['http://①②⑦.⓪.⓪.①/', 'address_refused'],
  ['http://127。0。0。1/', 'address_refused'],
  ['http:127.0.0.1/', 'address_refused'],
  ['http:\\\\127.0.0.1\\', 'address_refused'],
  ['HTTP://LOCALHOST/', 'address_refused'],
  ['http://localhost./', 'address_refused'],
  ['http://app.localhost/', 'address_refused'],
  ['http://127.0.0.1.nip.test/', 'address_refused'],
  ['http://metadata.cloud.test/', 'address_refused'],
  ['http://موقع.test/', 'name_unresolved'],
  ['http://xn--mgbh0fb.test/', 'address_refused'],
  ['http://mixed.test/', 'address_refused'],
  ['http://zone.test/', 'address_refused'],
  ['http://mapped.test/', 'address_refused'],
  ['http://empty.test/', 'name_unresolved'],
  ['http://0/', 'address_refused'],
  ['http://0.0.0.0/', 'address_refused'],
  ['http://10.0.0.1/', 'address_refused'],
  ['http://100.64.0.1/', 'address_refused'],
  ['http://168.63.129.16/', 'address_refused'],
  ['http://169.254.169.254/', 'address_refused'],
  ['http://0xa9fea9fe/', 'address_refused'],
  ['http://172.31.255.255/', 'address_refused'],
  ['http://192.0.0.192/', 'address_refused'],
  ['http://192.168.0.1/', 'address_refused'],
  ['http://198.18.0.1/', 'address_refused'],
  ['http://224.0.0.1/', 'address_refused'],
  ['http://240.0.0.1/', 'address_refused'],
  ['http://255.255.255.255/', 'address_refused'],
  ['http://[::1]/', 'address_refused'],
  ['http://[0:0:0:0:0:0:0:1]/', 'address_refused'],
  ['http://[0000:0000:0000:0000:0000:0000:0000:0001]/', 'address_refused'],
  ['http://[::]/', 'address_refused'],
  ['http://[::127.0.0.1]/', 'address_refused'],
  ['http://[::ffff:127.0.0.1]/', 'address_refused'],
  ['http://[::FFFF:7F00:1]/', 'address_refused'],
  ['http://[::ffff:0:127.0.0.1]/', 'address_refused'],
  ['http://[64:ff9b::127.0.0.1]/', 'address_refused'],
  ['http://[64:ff9b::a9fe:a9fe]/', 'address_refused'],
  ['http://[64:ff9b:1::7f00:1]/', 'address_refused'],
  ['http://[2002:7f00:1::]/', 'address_refused'],
  ['http://[2001:0:7f00:1::]/', 'address_refused'],
  ['http://[2001:db8::1]/', 'address_refused'],
  ['http://[fc00::1]/', 'address_refused'],
  ['http://[fd00:ec2::254]/', 'address_refused'],
  ['http://[fe80::1]/', 'address_refused'],
  ['http://[fec0::1]/', 'address_refused'],
  ['http://[ff02::1]/', 'address_refused'],
  ['http://[fe80::1%25eth0]/', 'address_invalid'],
  ['http://[fe80::1%eth0]/', 'address_invalid'],
  ['http://[::1/', 'address_invalid'],
  ['http://256.0.0.1/', 'address_invalid'],
  ['http://1.2.3.4.5/', 'address_invalid'],
  ['http://0x7f000001g/', 'name_unresolved'],
  ['http:///', 'address_invalid'],
  ['//127.0.0.1/', 'address_invalid'],
  ['127.0.0.1', 'address_invalid'],
  ['http://exa\tmple.test@127.0.0.1/', 'address_invalid'],
  [' http://127.0.0.1/', 'address_invalid'],
  ['http://user:password@127.0.0.1/', 'userinfo_refused'],
  [`http://${PUBLIC}@127.0.0.1/`, 'userinfo_refused'],
  [`http://${PUBLIC}%40127.0.0.1/`, 'address_invalid'],
  [`http://${PUBLIC}#@127.0.0.1/`, 'read: reached'],
  ['http://@127.0.0.1/', 'userinfo_refused'],
  ['http:@127.0.0.1/', 'userinfo_refused'],
  [`http://${PUBLIC}:22/`, 'port_refused'],
  [`http://${PUBLIC}:0/`, 'port_refused'],
  [`https://${PUBLIC}:80a/`, 'address_invalid'],
  ['file:///etc/passwd', 'scheme_refused'],
  ['ftp://127.0.0.1/', 'scheme_refused'],
  ['gopher://127.0.0.1:70/', 'scheme_refused'],
  ['data:text/csv,a', 'scheme_refused'],
  ['unix:/var/run/x.sock', 'scheme_refused'],
];

t.test('every spelling of a place inside is refused before any connection, and no other place is', async (t) => {
  const port = await serving((_request, response) => response.end('reached'));
  const dialled: string[] = [];
  const egress = createEgress({
    resolve: async (name) => NAMES[name] ?? Promise.reject(new Error('no such name')),
    connect: async (target, signal) => recorded(dialled)({ ...target, port }, signal),
  });
  for (const [url, code] of SPELLINGS) t.equal(await outcome(egress, url), code, url);
  t.strictSame([...new Set(dialled)], [PUBLIC]);
  t.ok(SPELLINGS.length >= 40);
});

const NOT_PUBLIC: readonly (readonly [base: string, prefix: number])[] = [
  ...([
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.168.0.0/16',
  ] as const),
  ...([
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ] as const),
  ...([
    '::/96',
    '::ffff:0:0/96',
    '64:ff9b::/96',
    '2002::/16',
    'fec0::/10',
    'fc00::/7',
    'fe80::/10',
    'ff00::/8',
  ] as const),
].map((network) => [network.split('/')[0] ?? '', Number(network.split('/')[1])]);

/** An address of the network: its own bits first, then random ones, as text. */
const inside = fc
  .tuple(fc.constantFrom(...NOT_PUBLIC), fc.bigInt(0n, 2n ** 128n - 1n))
  .map(([[base, prefix], random]) => {
    const { family, value } = parseAddress(base) ?? { family: 4, value: 0n };
    const rest = BigInt((family === 4 ? 32 : 128) - prefix);
    return textOf(family, value | (random & ((1n << rest) - 1n)));
  });
function textOf(family: 4 | 6, value: bigint): string {
  const [count, bits, radix, mark] = family === 4 ? [4, 8n, 10, '.'] : [8, 16n, 16, ':'];
  const part = (index: number) => (value >> (bits * BigInt(count - 1 - index))) & ((1n << bits) - 1n);
  return Array.from({ length: count }, (_, index) => part(index).toString(radix)).join(mark);
}

t.test('no address that is not public is ever connected to, alone or among public ones', async (t) => {
  const dialled: string[] = [];
  await fc.assert(
    fc.asyncProperty(inside, fc.nat(3), fc.boolean(), async (address, place, literal) => {
      const answers = Array.from({ length: 3 }, () => PUBLIC).toSpliced(place, 0, address);
      const egress = createEgress({ resolve: async () => answers, connect: recorded(dialled) });
      const host = literal ? (address.includes(':') ? `[${address}]` : address) : 'any.test';
      return (await outcome(egress, `http://${host}/`)) === 'address_refused';
    }),
    { numRuns: 1000 },
  );
  t.strictSame(dialled, []);
});

t.test('an address is in the network that the platform says it is in', async (t) => {
  const { holds, parseNetwork } = await import('../src/network.ts');
  const network = fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128));
  fc.assert(
    fc.property(network, fc.ipV4(), fc.ipV6(), ([base, bits], four, six) => {
      const family = base.includes(':') ? 'ipv6' : 'ipv4';
      const prefix = family === 'ipv4' ? bits % 33 : bits;
      const list = new BlockList();
      list.addSubnet(base, prefix, family);
      const address = family === 'ipv4' ? four : six;
      const parsed = parseAddress(address);
      return parsed !== undefined && holds(parseNetwork(`${base}/${prefix}`), parsed) === list.check(address, family);
    }),
    { numRuns: 1000 },
  );
  t.pass();
});

t.test('the operator allows networks and ports by the environment, and a mistake in them is refused', async (t) => {
  const egress = (environment: Record<string, string>) => createEgress(egressSettings(environment));
  const port = await serving((_request, response) => response.end('reached'));
  const allowed = { WEIR_EGRESS_ALLOW: '10.9.0.0/16, 127.0.0.1', WEIR_EGRESS_PORTS: `8443 ${port}` };
  t.equal(await outcome(egress(allowed), `http://127.0.0.1:${port}/`), 'read: reached');
  t.equal(await outcome(egress(allowed), `http://127.0.0.2:${port}/`), 'address_refused');
  t.equal(await outcome(egress(allowed), `http://[::ffff:127.0.0.1]:${port}/`), 'address_refused');
  t.equal(await outcome(egress({}), `http://127.0.0.1:${port}/`), 'port_refused');
  for (const wrong of ['10.0.0.0/33', 'canary', '10.0.0/8', '::/129', '10.0.0.0/8/8', '10.0.0.0/-1', '1.2.3.4/']) {
    t.throws(() => egressSettings({ WEIR_EGRESS_ALLOW: wrong }), { code: 'setting_invalid' }, wrong);
  }
  for (const wrong of ['0', '65536', '1e3', '*']) {
    t.throws(() => egressSettings({ WEIR_EGRESS_PORTS: wrong }), { code: 'setting_invalid' }, wrong);
  }
});

t.test('no error says anything of the address', async (t) => {
  const egress = createEgress({ resolve: () => Promise.reject(new Error('canary')) });
  for (const url of [
    'http://canary.test/?canary',
    'http://canary:canary@127.0.0.1',
    'canary',
    'http://10.0.0.1/canary?canary',
  ]) {
    const error = await egress.open(url).catch((thrown: unknown) => thrown);
    t.ok(error instanceof EgressError);
    t.notMatch(String(error), /canary/);
  }
  for (const message of Object.values(EGRESS_FAULTS)) t.match(message, /^[A-Z][^.]*$/);
});
