import { hostAddresses } from '@weir/egress';
import t from 'tap';

const refused = (host: string, rules?: Parameters<typeof hostAddresses>[1]) =>
  hostAddresses(host, rules).then(
    (addresses) => addresses,
    (error: { code?: string }) => error.code,
  );

t.test('a host of another protocol is held to the same networks as an address of the web', async (t) => {
  const resolve = async (name: string) => (name === 'both' ? ['8.8.8.8', '10.0.0.1'] : ['8.8.8.8', '1.1.1.1']);
  t.strictSame(await refused('public', { resolve }), ['8.8.8.8', '1.1.1.1']);
  t.equal(await refused('both', { resolve }), 'address_refused');
  t.equal(await refused('127.0.0.1'), 'address_refused');
  t.equal(await refused('::1'), 'address_refused');
  t.strictSame(await refused('127.0.0.1', { allowPrivate: ['127.0.0.0/8'] }), ['127.0.0.1']);
});

t.test('what is neither a name nor an address is refused before anything is asked', async (t) => {
  const resolve = async () => t.fail('nobody is asked') as unknown as string[];
  for (const host of ['', '/var/run', 'a b', 'user@host', 'host:5432', 'http://host']) {
    t.equal(await refused(host, { resolve }), 'address_invalid', host);
  }
  t.equal(await refused('name', { resolve: async () => [] }), 'name_unresolved');
  t.equal(await refused('name', { resolve: async () => [], allowPrivate: ['ten'] }), 'setting_invalid');
});
