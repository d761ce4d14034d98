import t from 'tap';
import { testEngine } from '../../../test/engines/index.ts';
import { LABEL } from '../src/container/create-options.ts';
import { type EngineClient, engineClient } from '../src/container/engine-client.ts';
import { imageUser } from '../src/container/image-policy.ts';
import { ensureNetwork } from '../src/container/network.ts';
import { reapRuns } from '../src/container/reap-runs.ts';
import { imageMaker, ownWorkspace, runs } from './container-kit.ts';

/** An hour, after which nobody looks into a container any more. */
const LONG_AFTER = 3_600_000;

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test(
    'a container in which a user is looked up is hardened, and is reaped where its worker was killed',
    async (t) => {
      const workspaceRoot = await ownWorkspace(t, engine);
      const make = await imageMaker(engine);
      const client = await engineClient(engine.socketPath);
      await ensureNetwork(client);
      const { Id: id } = await client
        .getImage(await make('weir-test/named-user:1', [runs(''), 'USER nobody']))
        .inspect();
      let made = '';
      // Its worker is killed before it removes what it made.
      const killed = {
        async createContainer(options: Parameters<EngineClient['createContainer']>[0]) {
          const container = await client.createContainer(options);
          made = container.id;
          const remove = () => Promise.reject(new Error('killed'));
          return { getArchive: container.getArchive.bind(container), remove };
        },
      } as unknown as EngineClient;
      t.strictSame(await imageUser(killed, { id, user: 'nobody' }), { uid: 65_534, gid: 65_534 });
      const there = () =>
        client
          .getContainer(made)
          .inspect()
          .catch(() => undefined);
      t.match(await there(), {
        Config: { Labels: { [LABEL.role]: 'probe', [LABEL.deadline]: /^\d+$/ } },
        State: { Status: 'created' },
        HostConfig: { ReadonlyRootfs: true, CapDrop: ['ALL'], NetworkMode: 'none' },
      });
      const { now } = Date;
      t.teardown(() => {
        Date.now = now;
      });
      // Others use this engine too: the clock is turned for this container alone.
      const mine: EngineClient = Object.assign(Object.create(client), {
        listContainers: async (options: object) =>
          (await client.listContainers(options)).filter((container) => container.Id === made),
      });
      const reap = () => reapRuns({ engine: mine, workspaceRoot, role: 'source' }, async () => true);
      await reap();
      t.ok(await there(), 'it may still be looked into');
      Date.now = () => now() + LONG_AFTER;
      t.match(await reap(), { containers: 1 });
      t.equal(await there(), undefined);
    },
  );
}
