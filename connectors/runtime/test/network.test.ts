import t from 'tap';
import { NETWORK } from '../src/container/create-options.ts';
import { engineClient } from '../src/container/engine-client.ts';
import { ensureNetwork } from '../src/container/network.ts';
import { type EngineSays, fakeEngine } from './fake-engine.ts';

type Network = { Id: string; Name: string; Created: string; Driver: string; Options: Record<string, string> };

/** An engine whose names are not unique, as it looks for one and makes it in two steps. */
async function engineWith(t: { teardown(end: () => unknown): unknown }, networks: Network[]) {
  let made = networks.length;
  const otherwise = (what: string, body: string): EngineSays => {
    const [method = '', path = ''] = what.split(' ');
    const [, , name] = path.split('/');
    const found = networks.filter((one) => one.Name === name || one.Id === name);
    const [first] = found;
    if (what === 'GET /networks') return [200, networks];
    if (what === 'POST /networks/create') {
      made += 1;
      networks.push({ ...(JSON.parse(body) as Network), Id: `id-${made}`, Created: '2026-01-01T00:00:00Z' });
      return [201, { Id: `id-${made}` }];
    }
    if (first === undefined) return [404, { message: 'no such network' }];
    if (method === 'DELETE') {
      networks.splice(networks.indexOf(first), 1);
      return [204];
    }
    return found.length > 1 ? [400, { message: 'ambiguous' }] : [200, first];
  };
  const { socketPath } = await fakeEngine(t, {}, { otherwise });
  return engineClient(socketPath);
}

t.test(
  'workers that start together end with one network for their connectors, in which none reaches another',
  async (t) => {
    const networks: Network[] = [];
    const client = await engineWith(t, networks);
    await Promise.all(Array.from({ length: 6 }, () => ensureNetwork(client)));
    t.match(networks, [
      { Name: NETWORK, Driver: 'bridge', Options: { 'com.docker.network.bridge.enable_icc': 'false' } },
    ]);
    const [kept] = networks;
    networks.push({ ...(kept as Network), Id: 'later', Created: '2026-01-02T00:00:00Z' });
    await Promise.all(Array.from({ length: 6 }, () => ensureNetwork(client)));
    t.strictSame(networks, [kept], 'the oldest of two');
  },
);

t.test('a network of that name in which connectors reach each other is refused', async (t) => {
  const open = { Id: 'id', Name: NETWORK, Created: '', Driver: 'bridge', Options: {} };
  for (const network of [open, { ...open, Driver: 'host' }]) {
    const client = await engineWith(t, [network]);
    const refused = { code: 'connector_runtime_unavailable', reason: 'network_not_isolated' };
    await t.rejects(ensureNetwork(client), refused);
  }
});
