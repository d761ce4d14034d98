import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { containerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t from 'tap';
import { testEngine } from '../../../test/engines/index.ts';
import { sample } from '../../../test/lane.ts';
import { imageMaker, ownWorkspace, runs } from './container-kit.ts';
import { asOtherUser, OTHER_USER, ROOT } from './other-user.ts';

/** Of the group that the root has, which is the engine's, as an installation has it. */
const WORKSPACE_MODE = 0o2711;

/** What belongs to the container's user alone: a folder that nobody may enter, one that others only read, and a deep one. */
const HOSTILE = `
const fs = require('node:fs');
process.chdir('/weir/segments');
for (const [name, mode] of [['closed', 0], ['plain', 0o755], ['sticky', 0o1777]]) {
  fs.mkdirSync(name + '/within', { recursive: true });
  fs.writeFileSync(name + '/within/file', 'x');
  for (const one of [name + '/within', name]) fs.chmodSync(one, mode);
}
for (let level = 0; level < 300; level += 1) {
  fs.mkdirSync('d'.repeat(20));
  process.chdir('d'.repeat(20));
}`;

for (const kind of sample('containers', ['rootless', 'rootful'] as const, 1)) {
  t.test(`what a connector leaves in its folder is removed by the ${kind} engine where it keeps us out`, async (t) => {
    if (process.getuid?.() !== ROOT) return t.plan(0, 'only root can act for another user');
    const engine = await testEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    const image = await (await imageMaker(engine))('weir-test/leaves-folders:1', [runs(HOSTILE), 'USER nobody']);
    const workspaceRoot = await ownWorkspace(t, engine, { uid: OTHER_USER, mode: WORKSPACE_MODE });
    const runtime = containerRuntime({
      ...{ socketPath: engine.socketPath, workspaceRoot, role: 'source', mode: 'development' },
      waivers: [kind === 'rootful' ? 'rootful' : 'limits'],
    });
    // As a worker: not root, and in the group of the engine's socket.
    asOtherUser(t);
    const ended = async (attempt: string) => {
      const run = testRun(image, { segments: true });
      const labels = { ...run.labels, attempt };
      const connector = await runtime.run({ ...run, labels });
      connector.stdout.resume();
      await connector.exit;
      if (connector.segments === undefined) throw new Error('no folder was offered');
      const { path, destroy } = connector.segments;
      t.ok(readdirSync(path).includes('closed'));
      await t.rejects(destroy(), 'by ourselves we cannot');
      t.ok(existsSync(path));
      return labels;
    };
    await runtime.endAttempt(await ended('1'));
    t.strictSame(await readdir(workspaceRoot), [], 'at the end of its attempt');
    await ended('2');
    t.match(await runtime.reap(async () => false), { workspaces: 1, left: [] });
    t.strictSame(await readdir(workspaceRoot), [], 'when nobody is there any more');
  });
}
