import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'tap';
import { NO_ENGINES_VARIABLE, testEngine } from '../../test/engines/index.ts';
import { commandLine } from './command-line.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

type Row = { role: string; check: string; status: string; found: string; next_step?: string };

test('connectors doctor names each point of an engine that is not as it must be, with its next step, and ends with 1', async (t) => {
  const engine = await testEngine(t, 'rootless');
  if (typeof engine === 'string') return t.plan(0, engine);
  const { weir } = commandLine(t);
  const socketDir = path.dirname(engine.socketPath);
  const workspace = path.join(engine.workspaceRoot, 'doctor');
  await mkdir(workspace, { mode: 0o750 });
  t.teardown(() => rm(workspace, { recursive: true, force: true }));
  const env = { SOURCE_SOCKET_DIR: socketDir, WEIR_SOURCE_WORKSPACE_DIR: workspace };
  const { code, stdout } = await weir(['connectors', 'doctor', '-o', 'json'], { env });
  t.equal(code, 1);
  const { items } = JSON.parse(stdout) as { items: Row[] };
  const status = Object.fromEntries(items.map((item) => [item.check, item.status]));
  const good = [
    'socket folder',
    'nothing else in it',
    'socket',
    'group of this process',
    'engine user',
    'subordinate ids',
  ];
  const also = ['workspace owner', 'workspace mode', 'workspace is bounded', 'workspace runs nothing'];
  for (const check of [...good, ...also, 'engine answers', 'rootless', 'seccomp']) t.equal(status[check], 'ok', check);
  t.equal(status['egress fence'], 'fault', 'a test engine has no fence');
  for (const item of items) t.equal(item.next_step === undefined, item.status === 'ok', item.check);
  const cgroup = items.find(({ check }) => check === 'cgroup version');
  if (cgroup?.found === '2') return;
  t.match(
    items.find(({ check }) => check === 'ready for connectors'),
    { status: 'fault', found: 'memory_limit_missing' },
  );
  for (const check of ['control groups', 'memory limits', 'CPU limits'])
    t.match(items.find((item) => item.check === check)?.next_step, /^boot with cgroup v2/, check);
});

test('connectors doctor sees a socket and a workspace that others may use, and one workspace for two roles', async (t) => {
  const { weir } = commandLine(t);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-doctor-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o2777);
  const roles = ['SOURCE', 'DISCOVERY'].flatMap((role) => [
    [`${role}_SOCKET_DIR`, folder],
    [`WEIR_${role}_WORKSPACE_DIR`, folder],
  ]);
  const { code, stdout } = await weir(['connectors', 'doctor', '-o', 'json'], { env: Object.fromEntries(roles) });
  t.equal(code, 1);
  const { items } = JSON.parse(stdout) as { items: Row[] };
  for (const check of [
    'socket folder',
    'socket',
    'workspace mode',
    'engine answers',
    'each role has its own workspace',
  ]) {
    t.match(
      items.find((item) => item.check === check),
      { status: 'fault', next_step: String },
      check,
    );
  }
});

test('without the environment of a worker, or a way to restart its engine, nothing is done', async (t) => {
  const { weir } = commandLine(t);
  t.match(await weir('connectors doctor'), { code: 2, stderr: /SOURCE_SOCKET_DIR.*sudo drops it/s });
  t.match(await weir('connectors doctor --role discovery'), { code: 2, stderr: /DISCOVERY_SOCKET_DIR/ });
  t.match(await weir('connectors prove'), { code: 2 });
  const env = { SOURCE_SOCKET_DIR: '/nowhere', WEIR_SOURCE_WORKSPACE_DIR: '/nowhere' };
  t.match(await weir('connectors prove', { env }), { code: 2, stderr: /--restart/ });
  const closed = await weir('connectors prove --restart true', { env });
  t.match(closed, { code: 1, stderr: /cannot be made in the workspace of the role source.*as root/s });
  t.match(await weir('connectors prove --test-engine --source shop'), {
    code: 2,
    stderr: /--source goes with --restart/,
  });
});

test('connectors prove restarts an engine under load and finds the boundary as it was', async (t) => {
  const reason = process.env[NO_ENGINES_VARIABLE] ?? (process.getuid?.() === 0 ? undefined : 'it needs root');
  if (reason !== undefined) return t.plan(0, reason);
  const { weir, home, root } = commandLine(t);
  await symlink(ROOT, root);
  const { code, stdout, stderr } = await weir('connectors prove --test-engine --out report.md -o json');
  t.equal(code, 0, stderr);
  const { verdict, facts } = JSON.parse(stdout) as {
    verdict: string;
    facts: { fact: string; status: string; role: string }[];
  };
  t.equal(verdict, 'proved');
  for (const role of ['source', 'discovery']) {
    const words = facts.filter((fact) => fact.role === role).map(({ fact }) => fact);
    for (const word of ['CapBnd', 'Seccomp', 'mount /', 'discovery', 'extraction'])
      t.ok(words.includes(`${word} as before`), word);
  }
  t.equal(facts.filter(({ fact }) => fact === 'an interrupted connector is no success').length, 4);
  t.match(
    await readFile(path.join(home, 'report.md'), 'utf8'),
    /^# The boundary of the connector engine: proved\n\n\d{4}-/,
  );
});
