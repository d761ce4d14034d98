import { chmod, chown, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerRuntime } from '@weir/connector-runtime';
import { testRun } from '@weir/connector-runtime/testing';
import t from 'tap';
import { testEngine } from '../../../test/engines/index.ts';
import { ownWorkspace } from './container-kit.ts';

const folder = await mkdtemp(join(tmpdir(), 'container-readiness-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const CODE = 'connector_runtime_unavailable';
const options = { workspaceRoot: folder, role: 'source', mode: 'development' } as const;
const refusal = (reason: string) => ({ code: CODE, reason });

t.test('an engine is reached through exactly one reviewed socket', async (t) => {
  const at = (name: string) => join(folder, name);
  const server = createServer((_request, answer) => void answer.end('{}'));
  await new Promise<void>((resolve) => server.listen(at('open.sock'), resolve));
  t.teardown(() => server.close());
  const ready = (name: string, more = {}) => containerRuntime({ ...options, socketPath: at(name), ...more }).ready();
  await chmod(at('open.sock'), 0o666);
  await writeFile(at('file'), '');
  await symlink(at('open.sock'), at('link'));
  await t.rejects(ready('none'), refusal('engine_socket_missing'));
  await t.rejects(ready('file'), refusal('engine_socket_not_a_socket'));
  await t.rejects(ready('link'), refusal('engine_socket_not_a_socket'));
  await t.rejects(ready('open.sock'), refusal('engine_socket_mode'));
  await chmod(at('open.sock'), 0o660);
  await t.rejects(ready('open.sock', { socketGid: 4_000_000 }), refusal('engine_socket_group'));
  await t.rejects(ready('open.sock', { workspaceRoot: at('none') }), refusal('workspace_missing'));
  await symlink(folder, at('elsewhere'));
  await t.rejects(ready('open.sock', { workspaceRoot: at('elsewhere') }), refusal('workspace_not_a_folder'));
  const runtime = containerRuntime({ ...options, socketPath: at('none') });
  await t.rejects(runtime.run(testRun('weir/x:1')), refusal('engine_socket_missing'), 'a run too');
});

t.test('production does without no condition', async (t) => {
  const waived = { ...options, socketPath: '/x', mode: 'production', waivers: ['rootful'] } as const;
  t.throws(() => containerRuntime(waived), refusal('waivers_outside_development'));
});

t.test('a rootful engine is refused, and its limits are seen to hold where that is waived', async (t) => {
  const engine = await testEngine(t, 'rootful');
  if (typeof engine === 'string') return t.plan(0, engine);
  const { socketPath, workspaceRoot } = engine;
  const at = { ...options, socketPath, workspaceRoot };
  await t.rejects(containerRuntime(at).ready(), refusal('engine_not_rootless'));
  t.match(await containerRuntime({ ...at, waivers: ['rootful'] }).ready(), { limitsHold: true, rootless: false });
});

t.test(
  "a workspace of a group that is not the engine's → refused as unreadable, until its group is right",
  async (t) => {
    const engine = await testEngine(t, 'rootless');
    if (typeof engine === 'string') return t.plan(0, engine);
    const workspaceRoot = await ownWorkspace(t, engine);
    const { socketPath } = engine;
    const runtime = containerRuntime({ ...options, socketPath, workspaceRoot, waivers: ['rootful', 'limits'] });
    await runtime.ready();
    await chown(workspaceRoot, -1, engine.inputGroup + 1);
    await t.rejects(runtime.ready(), { code: 'workspace_unreadable', origin: 'platform' });
    await t.rejects(runtime.run(testRun('weir/x:1')), { code: 'workspace_unreadable' }, 'a run too');
    t.strictSame(await readdir(workspaceRoot), [], 'nothing of the proof is left');
    await chown(workspaceRoot, -1, engine.inputGroup);
    await runtime.ready();
  },
);

t.test('an engine that enforces no limit is refused, whatever it says of itself', async (t) => {
  const engine = await testEngine(t, 'rootless');
  if (typeof engine === 'string') return t.plan(0, engine);
  const { socketPath, workspaceRoot } = engine;
  const at = { ...options, socketPath, workspaceRoot };
  const facts = await containerRuntime({ ...at, waivers: ['limits'] }).ready();
  t.equal(facts.rootless, true);
  if (facts.limitsHold) return t.pass('this machine gives its rootless engine limits');
  await t.rejects(containerRuntime(at).ready(), refusal('memory_limit_missing'));
  const lie = join(folder, 'lie.sock');
  const server = createServer((asked, answer) => {
    const { method, url = '', headers } = asked;
    const passed = request({ socketPath, method, path: url, headers, agent: false }, async (said) => {
      if (!url.endsWith('/info')) {
        answer.writeHead(said.statusCode ?? 500, said.headers).flushHeaders();
        return void said.pipe(answer);
      }
      const info = JSON.parse((await said.toArray()).join(''));
      answer.end(JSON.stringify({ ...info, MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true }));
    });
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(lie, resolve));
  await chmod(lie, 0o660);
  await t.rejects(containerRuntime({ ...at, socketPath: lie }).ready(), refusal('memory_limit_not_enforced'));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
