import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Test, test } from 'tap';
import { MAX_SEGMENT_BYTES, MAX_UNACKNOWLEDGED_SEGMENTS } from '../../connectors/sdk/src/index.ts';
import { NO_ENGINES_VARIABLE, startRootless, testEngine } from '../engines/index.ts';
import { runProgram } from '../run-program.ts';
import { PATIENT_MS, until } from '../until.ts';

const FILES = path.resolve(import.meta.dirname, '../../deploy/connector-engine');
const BIN = path.join(FILES, 'bin');
const IS_ROOT = process.getuid?.() === 0 && process.platform === 'linux';
const NOT_ROOT = 'the files of the connector engine are for root';

/** The default of WORKFLOW_SOURCE_MAX_CONCURRENT_ACTIVITIES, and what the inputs of one sync may take beside its segments. */
const [DEFAULT_ACTIVITIES, INPUT_BYTES] = [8, 32 * 1024 ** 2];
/** Ids that every Linux has. */
const [NOBODY, DAEMON] = [65_534, 1];

async function scratch(t: Test): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-files-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A Unix socket that answers whatever is said to it. */
async function answering(t: Test, file: string, answer: string): Promise<void> {
  const server = createServer((peer) => peer.once('data', () => peer.end(answer)).on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(file, resolve));
  t.teardown(() => server.close());
}

test('the units are sound', async (t) => {
  const folder = await scratch(t);
  for (const [kind, scope] of [
    ['systemd', '--system'],
    ['systemd-user', '--user'],
  ] as const) {
    await cp(path.join(FILES, kind), path.join(folder, kind), { recursive: true });
    const units = [];
    for (const unit of (await readdir(path.join(folder, kind))).filter((name) => name.endsWith('.service'))) {
      const file = path.join(folder, kind, unit);
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replaceAll('/usr/lib/weir/connector-engine', BIN));
      units.push(file);
    }
    const env = { ...process.env, XDG_RUNTIME_DIR: folder };
    const found = await runProgram('systemd-analyze', ['verify', scope, '--man=no', ...units], env);
    if (Number.isNaN(found.code)) return t.plan(0, 'there is no systemd-analyze');
    t.strictSame(found, { code: 0, text: '' }, kind);
  }
});

test('the daemon is one of the manager of its user, whose bus gives its containers their bounds', async (t) => {
  const daemon = await readFile(path.join(FILES, 'systemd-user/weir-connector-daemon.service'), 'utf8');
  // Rootless, the engine asks the manager of its user for the bounds of a container, by the bus of the user; it is no
  // service of the system with User=, which its makers do not support (docs.docker.com/engine/security/rootless/tips).
  for (const line of [/^ConditionUser=weir-engine$/m, /^Requires=dbus\.socket$/m, /^Delegate=yes$/m, /^Type=notify$/m])
    t.match(daemon, line);
  t.match(daemon, /^ExecStartPost=.*fix-socket .*\nExecStartPost=.*ready /m, 'the socket is opened, then asked');
  t.notMatch(daemon, /^RuntimeDirectory=/m, 'the folder of the socket is no start of the unit');
  t.notMatch(daemon, /^ExecStart\w*=\+/m, 'a manager of a user has no privileges to give');
  const engine = await readFile(path.join(FILES, 'systemd/weir-connector-engine.service'), 'utf8');
  t.match(engine, /^BindsTo=weir-connector-fence\.service$/m);
  t.match(engine, /^After=.*weir-connector-fence\.service/m);
  t.match(engine, /^ExecStart=.*ready /m, 'it is active once the daemon answers');
});

test('the workspace of the source worker holds the inputs and the segments of as many syncs as it does at a time', async (t) => {
  const unit = await readFile(path.join(FILES, 'systemd/run-weir\\x2dconnectors-source.mount'), 'utf8');
  const gibibytes = Number(/^Options=size=(\d+)g,/m.exec(unit)?.[1]);
  const perSync = (MAX_UNACKNOWLEDGED_SEGMENTS + 1) * MAX_SEGMENT_BYTES + INPUT_BYTES;
  t.ok(gibibytes * 1024 ** 3 >= DEFAULT_ACTIVITIES * perSync, unit);
});

test('the fence stands again whenever the rules of the machine are loaded, and knows the name servers of a network that is up', async (t) => {
  const fence = await readFile(path.join(FILES, 'systemd/weir-connector-fence.service'), 'utf8');
  const listed = (name: string) =>
    [...fence.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, units = '']) => units.split(' '));
  for (const name of ['After', 'PartOf', 'ReloadPropagatedFrom'])
    t.ok(listed(name).includes('nftables.service'), `${name}: a reload flushes every rule, as a stop does`);
  for (const name of ['After', 'Wants']) t.ok(listed(name).includes('network-online.target'), name);
  t.match(fence, /^ExecReload=.*fence up /m);
});

test('what is installed is these files, and what an operator has configured stays', async (t) => {
  const root = await scratch(t);
  const install = () => runProgram(path.join(FILES, 'install'), [], { ...process.env, DESTDIR: root });
  t.equal((await install()).code, 0);
  const allowed = path.join(root, 'etc/weir/connector-egress.allow');
  await writeFile(allowed, '10.0.0.1 5432\n');
  t.equal((await install()).code, 0);
  t.equal(await readFile(allowed, 'utf8'), '10.0.0.1 5432\n');
  t.equal((await stat(path.join(root, 'usr/lib/weir/connector-engine/fix-socket'))).mode & 0o777, 0o755);
  const sysusers = path.join(root, 'usr/lib/sysusers.d/weir-connector-engine.conf');
  if (!IS_ROOT) return;
  t.equal((await runProgram('systemd-sysusers', [`--root=${root}`, sysusers])).code, 0);
  const group = await readFile(path.join(root, 'etc/group'), 'utf8');
  t.match(group, /^weir-connectors:x:\d+:weir-discovery,weir-engine,weir-source$/m);
  t.match(group, /^weir-engine:x:\d+:$/m, 'nobody else is in the group that reads the workspaces');
});

test('the socket is given to a group on each start by its owner, and nothing but a socket is', async (t) => {
  if (!IS_ROOT) return t.plan(0, NOT_ROOT);
  const folder = await scratch(t);
  const at = (name: string) => path.join(folder, name);
  await chown(folder, NOBODY, NOBODY);
  // Its user may not see this checkout.
  const program = at('fix-socket');
  await copyFile(path.join(BIN, 'fix-socket'), program);
  await chmod(program, 0o755);
  const asOwner = (groups: string) => [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, `--groups=${groups}`, program];
  const fix = (name: string, groups = `${NOBODY},${DAEMON}`) =>
    runProgram('setpriv', [...asOwner(groups), at(name), 'daemon'], { ...process.env, LC_ALL: 'C' });
  await answering(t, at('docker.sock'), '');
  await chown(at('docker.sock'), NOBODY, NOBODY);
  t.match(await fix('docker.sock', `${NOBODY}`), { code: 1, text: /not permitted/ }, 'the engine is of that group');
  t.strictSame(await fix('docker.sock'), { code: 0, text: '' });
  const { mode, gid } = await stat(at('docker.sock'));
  t.strictSame([mode & 0o7777, gid], [0o660, DAEMON]);
  await writeFile(at('file'), '', { mode: 0o600 });
  await mkdir(at('folder'), { mode: 0o700 });
  await symlink(at('docker.sock'), at('link'));
  for (const name of ['file', 'folder', 'link', 'nothing'])
    t.match(await fix(name), { code: 1, text: /is no Unix socket/ });
  t.equal((await stat(at('file'))).mode & 0o777, 0o600, 'what is refused stays as it was');
});

test('ready means that a container engine answers through that socket in time', async (t) => {
  const folder = await scratch(t);
  const ready = (socket: string, seconds = 1) =>
    runProgram(path.join(BIN, 'ready'), [socket, String(seconds)], { ...process.env, DOCKER_HOST: 'tcp://x' });
  t.match(await ready(path.join(folder, 'nothing')), { code: 1, text: /no engine answers/ });
  const other = path.join(folder, 'other');
  await answering(t, other, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  t.match(await ready(other), { code: 1, text: /is no container engine/ });
  const broken = path.join(folder, 'broken');
  await answering(t, broken, 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n');
  t.match(await ready(broken), { code: 1, text: /no engine answers/ });
  const engine = await testEngine(t, 'rootless');
  if (typeof engine === 'string') return t.comment(engine);
  t.strictSame(await ready(engine.socketPath, PATIENT_MS / 1_000), { code: 0, text: '' });
});

test('the engine is kept from the loopback of its machine by every version of its program, and nothing in the environment says otherwise', async (t) => {
  const folder = await scratch(t);
  const program = path.join(folder, 'dockerd-rootless.sh');
  await writeFile(program, '#!/bin/sh\nenv | grep ^DOCKER | sort\necho "$@"\n', { mode: 0o755 });
  const env = {
    ...{
      PATH: `${folder}:${process.env.PATH}`,
      XDG_RUNTIME_DIR: '/run/of-it',
      DOCKER_HOST: 'tcp://x',
      DOCKER_CONTEXT: 'x',
    },
    DOCKERD_ROOTLESS_ROOTLESSKIT_DISABLE_HOST_LOOPBACK: 'false',
    DOCKERD_ROOTLESS_ROOTLESSKIT_FLAGS: '--port-driver=x',
    DOCKERD_ROOTLESS_ROOTLESSKIT_NET: 'host',
  };
  const { code, text } = await runProgram(path.join(BIN, 'engine'), ['/socket', '/data', '/configuration'], env);
  t.strictSame(
    [code, ...text.trim().split('\n')],
    [
      0,
      'DOCKERD_ROOTLESS_ROOTLESSKIT_DISABLE_HOST_LOOPBACK=true',
      'DOCKERD_ROOTLESS_ROOTLESSKIT_NET=slirp4netns',
      '--host unix:///socket --data-root /data/data --exec-root /run/of-it/exec --pidfile /run/of-it/docker.pid --config-file /configuration',
    ],
  );
});

test('an engine with the configuration of these files starts and tells the service manager once it is ready', async (t) => {
  if (process.env[NO_ENGINES_VARIABLE] || !IS_ROOT) return t.plan(0, process.env[NO_ENGINES_VARIABLE] ?? NOT_ROOT);
  const folder = await scratch(t);
  const notify = path.join(folder, 'notify');
  const script = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
while True:
    said = s.recv(4096).decode()
    if 'READY=1' in said: print('READY=1'); break`;
  await chmod(folder, 0o711);
  const listener = spawn('python3', ['-c', script, notify], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => listener.kill('SIGKILL'));
  const heard = text(listener.stdout);
  const configuration = JSON.parse(await readFile(path.join(FILES, 'connector-engine.json'), 'utf8'));
  await until('the socket', () => existsSync(notify));
  const engine = await startRootless({ configuration, env: { NOTIFY_SOCKET: notify } });
  t.teardown(engine.stop);
  t.equal(await heard, 'READY=1\n');
});
