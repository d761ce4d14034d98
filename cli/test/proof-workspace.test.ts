import { chmod, chown, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { fakeEngine, READY } from '../../connectors/runtime/test/fake-engine.ts';
import { asOtherUser, OTHER_USER } from '../../connectors/runtime/test/other-user.ts';
import { ENGINE_ROLES, rolePlaces } from '../src/connectors/engine/engine-role.ts';
import { groupOf, proofWorkspace } from '../src/connectors/proof/proof-workspace.ts';
import { proveEngine } from '../src/connectors/proof/prove-engine.ts';
import { ending } from './command-line.ts';

/** A group that nobody here is in, as a worker is not in that of the engine. */
const ENGINE_GROUP = 64_125;
const MODE_BITS = 0o7777;

async function workspace(t: Test, mode: number): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-proof-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, OTHER_USER, ENGINE_GROUP);
  await chmod(folder, mode);
  return folder;
}

if (process.getuid?.() !== 0) t.plan(0, 'only root can be somebody else');
else {
  const installed = await workspace(t, 0o2750);
  const groupless = await workspace(t, 0o750);
  const proves = async (t: Test) => {
    const folder = await proofWorkspace({ role: 'source', workspaceRoot: installed });
    t.equal((await lstat(folder)).mode & MODE_BITS, 0o2750);
    t.equal(await groupOf(folder), ENGINE_GROUP);
  };
  t.test('root makes the workspace of a proof so that the engine may read it', proves);

  t.test('so does the user of the worker, who is not in the group of the engine', async (t) => {
    asOtherUser(t);
    await proves(t);
  });

  t.test('an engine without a socket is told of, and nothing is left in the workspace', async (t) => {
    const workspaceRoot = await workspace(t, 0o2750);
    const places = rolePlaces(
      { SOURCE_SOCKET_DIR: t.testdir({}), WEIR_SOURCE_WORKSPACE_DIR: workspaceRoot },
      undefined,
    );
    const restart = () => Promise.reject(new Error('there is no engine to restart'));
    const refused = proveEngine({ places, restart, waivers: [], say() {} });
    await t.rejects(refused, ending('unreachable', /may not run connectors: engine_socket_missing/));
    t.strictSame(await readdir(workspaceRoot), []);
  });

  t.test(
    'a proof that is given up takes its probe out of the engine, and leaves nothing in the workspace',
    async (t) => {
      // The probe is there already, whatever its name.
      const { socketPath, workspaceRoot, asked } = await fakeEngine(t, READY, { otherwise: () => [200, {}] });
      const place = { socketDir: path.dirname(socketPath), socketPath, workspaceRoot };
      const given = proveEngine({
        places: ENGINE_ROLES.map((role) => ({ role, ...place })),
        waivers: ['limits'],
        restart: () => Promise.reject(new Error('restarted before anything was seen')),
        source: {
          async look() {
            t.equal((await readdir(workspaceRoot)).length, 2, 'a workspace for each role');
            throw new Error('given up');
          },
          ...{ begin: async () => undefined, stillRuns: async () => undefined, end: async () => [] },
        },
        say() {},
      });
      await t.rejects(given, { message: 'given up' });
      const images = asked.filter((what) => what.includes('/images/weir/connector-probe:'));
      t.match(images, [/^GET .*\/json$/, /^GET .*\/json$/, /^DELETE /], 'both roles have one image');
      t.equal(images[0], images[2]?.replace(/^DELETE (.*)/, 'GET $1/json'));
      t.strictSame(await readdir(workspaceRoot), []);
    },
  );

  t.test('a workspace that gives no group is told of, and nothing is left in it', async (t) => {
    asOtherUser(t);
    const refused = proofWorkspace({ role: 'source', workspaceRoot: groupless });
    await t.rejects(refused, ending('failed', /workspace of the role source/));
    t.strictSame(await readdir(groupless), []);
  });
}
