import { readlinkSync } from 'node:fs';
import { containerRuntime } from '@weir/connector-runtime';
import t from 'tap';
import { type Engine, testEngine } from '../../../test/engines/index.ts';
import { sample } from '../../../test/lane.ts';
import { imageMaker, runs, said } from './container-kit.ts';

/** What a connector sees and may do, told by itself. */
const PROBE = `
const fs = require('node:fs'), cp = require('node:child_process');
const tried = (act) => { try { act(); return 'done'; } catch (error) { return error.code ?? error.message; } };
const status = Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((l) => l.split(':\\t')));
const mounts = fs.readFileSync('/proc/self/mountinfo', 'utf8').split('\\n').map((l) => l.split(' ')).filter((f) => f.length > 5)
  .map((f) => ({ at: f[4], flags: f[5], kind: f[f.indexOf('-') + 1] }));
const facts = {
  status, mounts,
  limits: fs.readFileSync('/proc/self/limits', 'utf8'),
  namespaces: Object.fromEntries(['ipc', 'cgroup', 'net', 'pid', 'uts', 'mnt'].map((n) => [n, fs.readlinkSync('/proc/self/ns/' + n)])),
  interfaces: Object.keys(require('node:os').networkInterfaces()),
  root: tried(() => fs.writeFileSync('/x', 'x')),
  input: tried(() => fs.writeFileSync('/weir/inputs/x', 'x')),
  config: tried(() => fs.readFileSync('/weir/inputs/config.json')),
  node: tried(() => cp.execFileSync('/bin/mknod', ['/tmp/n', 'c', '1', '3'])),
  exec: tried(() => { fs.writeFileSync('/tmp/run', '#!/usr/local/bin/node\\n', { mode: 0o755 }); cp.execFileSync('/tmp/run'); }),
  bound: tried(() => fs.writeFileSync('/sys/fs/cgroup/memory/memory.limit_in_bytes', '-1')),
  group: tried(() => fs.mkdirSync('/sys/fs/cgroup/pids/x')),
  full: tried(() => fs.writeFileSync('/home/connector/big', Buffer.alloc(40 << 20))),
  tmp: tried(() => fs.writeFileSync('/tmp/small', 'x')),
  environment: Object.keys(process.env).sort(),
  user: [process.getuid(), process.getgid(), process.getgroups()],
  folder: process.cwd(),
  argv: process.argv.slice(1),
};
process.stdout.write(JSON.stringify(facts));`;

async function facts(engine: Engine, user: string, waivers: readonly ('rootful' | 'limits')[]) {
  const make = await imageMaker(engine);
  const name = `weir-test/probe-${user.replace(/\W/g, '-')}:1`;
  // An image whose own temporary folder is of root and closed to others.
  await make(name, [runs(PROBE), 'WORKDIR /tmp/w', `USER ${user}`]);
  const { socketPath, workspaceRoot } = engine;
  const environment = { WEIR_EGRESS_ALLOW: '' };
  const runtime = containerRuntime({
    socketPath,
    workspaceRoot,
    role: 'source',
    mode: 'development',
    waivers,
    environment,
  });
  const limits = { memoryMiB: 256, tmpMiB: 32, pids: 40, cpus: 0.5 };
  return JSON.parse(await said(runtime, name, { inputs: { config: '{}', state: '[]' }, limits }));
}
const NONE = '0000000000000000';

for (const kind of sample('containers', ['rootless', 'rootful'] as const, 1)) {
  t.test(`every flag holds on the ${kind} engine, as seen from within`, async (t) => {
    const engine = await testEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    const seen = await facts(engine, 'nobody', [kind === 'rootful' ? 'rootful' : 'limits']);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) t.equal(seen.status[set], NONE, set);
    t.match(seen.status, { NoNewPrivs: '1', Seccomp: '2' });
    const at = (path: string) => seen.mounts.find((mount: { at: string }) => mount.at === path);
    t.match(at('/').flags, /^ro,/);
    for (const path of ['/tmp', '/home/connector'])
      t.match(at(path), { kind: 'tmpfs', flags: /^rw,nosuid,nodev,noexec/ });
    t.match(at('/weir/inputs').flags, /^ro,/);
    const writable = seen.mounts.filter(
      ({ flags, kind }: { flags: string; kind: string }) => flags.startsWith('rw,') && kind !== 'proc',
    );
    const own = writable
      .map((mount: { at: string }) => mount.at)
      .filter((path: string) => !/^\/(dev|proc|sys)/.test(path));
    t.same(own.sort(), ['/home/connector', '/tmp']);
    t.match(seen, { root: 'EROFS', input: 'EROFS', config: 'done', exec: /EACCES/, full: 'ENOSPC', tmp: 'done' });
    for (const name of ['node', 'bound', 'group']) t.not(seen[name], 'done', name);
    t.match(seen.limits, /Max open files\s+4096\s+4096/);
    t.match(seen.limits, /Max core file size\s+0\s+0/);
    for (const [name, value] of Object.entries(seen.namespaces)) {
      t.not(value, readlinkSync(`/proc/self/ns/${name}`), name);
    }
    t.same(
      seen.interfaces.filter((name: string) => name !== 'lo'),
      ['eth0'],
    );
    t.same(seen.user.slice(0, 2), [65_534, 65_534]);
    t.ok(seen.user[2].includes(0), 'it reads its inputs by the group of the engine');
    t.same(seen.argv, ['read', '--config', '/weir/inputs/config.json', '--state', '/weir/inputs/state.json']);
    const words = ['DATA_CHANNEL_FORMAT', 'DATA_CHANNEL_MEDIUM', 'HOME', 'HOSTNAME', 'LANG', 'PATH', 'TMPDIR', 'TZ'];
    t.same(seen.environment, [...words, 'WEIR_CONNECTOR_MEMORY_MIB', 'WEIR_EGRESS_ALLOW']);
  });
}
