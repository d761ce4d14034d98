import t from 'tap';
import { askEngine, engineJson, ownEngine } from '../../../test/engines/index.ts';
import { NETWORK } from '../src/container/create-options.ts';
import { engineClient } from '../src/container/engine-client.ts';
import { ensureNetwork } from '../src/container/network.ts';

t.test(
  'workers that start together end with one network for their connectors, also where there were two',
  async (t) => {
    const engine = await ownEngine(t, 'rootless');
    if (typeof engine === 'string') return t.plan(0, engine);
    const { socketPath } = engine;
    const client = await engineClient(socketPath);
    const named = async () => {
      const all = await engineJson<{ Name: string; Id: string }[]>(socketPath, { path: '/networks' });
      return all.filter(({ Name }) => Name === NETWORK).map(({ Id }) => Id);
    };
    await Promise.all(Array.from({ length: 6 }, () => ensureNetwork(client)));
    const kept = await named();
    t.equal(kept.length, 1);
    const again = { Name: NETWORK, Driver: 'bridge', CheckDuplicate: false };
    await engineJson(socketPath, { method: 'POST', path: '/networks/create', body: again });
    t.equal((await askEngine(socketPath, { path: `/networks/${NETWORK}` })).status, 400, 'no name of two can be used');
    await Promise.all(Array.from({ length: 6 }, () => ensureNetwork(client)));
    t.strictSame(await named(), kept);
  },
);
