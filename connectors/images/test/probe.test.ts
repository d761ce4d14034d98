import { randomUUID } from 'node:crypto';
import { readlink } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type ContainerRuntime, containerRuntime } from '@weir/connector-runtime';
import { test } from 'tap';
import { type Engine, testEngine } from '../../../test/engines/index.ts';
import { sample } from '../../../test/lane.ts';
import { probeImage } from '../src/proof.ts';

const LIMITS = { memoryMiB: 256, pids: 64, cpus: 0.5, tmpMiB: 16 };
/** Limits of processes, memory and CPU are shown where the engine enforces them. */
const HARDENING = [
  'write-root',
  'write-inputs',
  'exec-tmp',
  'fill-tmp',
  'set-uid',
  'change-owner',
  'make-device',
  'mount',
  'unshare',
];
const ENFORCED = ['processes', 'memory', 'cpu'];

const runtimeOf = ({ socketPath, workspaceRoot }: Engine): ContainerRuntime =>
  containerRuntime({ socketPath, workspaceRoot, role: 'source', mode: 'development', waivers: ['rootful', 'limits'] });

async function told(
  runtime: ContainerRuntime,
  image: string,
  stream: string,
  config: object,
): Promise<Map<string, string>> {
  const catalog = {
    streams: [{ stream: { name: stream }, sync_mode: 'full_refresh', destination_sync_mode: 'append' }],
  };
  const connector = await runtime.run({
    image,
    role: 'source',
    labels: { tenant: 'tenant', source: 'source', execution: randomUUID(), attempt: '1' },
    verb: 'read',
    inputs: { config: JSON.stringify(config), catalog: JSON.stringify(catalog) },
    limits: LIMITS,
  });
  const lines = (await text(connector.stdout)).trim().split('\n');
  const exit = await connector.exit;
  if (exit.code !== 0) throw new Error(`the probe ended with ${exit.code}: ${connector.stderrTail()}`);
  const records = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'RECORD');
  return new Map(records.map(({ record }) => [record.data.name, record.data.value]));
}

for (const kind of sample('containers', ['rootful', 'rootless'] as const, 1)) {
  test(`every bound of a connector holds under the probe on the ${kind} engine, limits only where it enforces them`, async (t) => {
    const engine = await testEngine(t, kind);
    if (typeof engine === 'string') return t.plan(0, engine);
    const image = await probeImage(engine.socketPath);
    const runtime = runtimeOf(engine);
    const seen = await told(runtime, image, 'boundary', {});
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      t.equal(seen.get(set), '0000000000000000', set);
    t.equal(seen.get('NoNewPrivs'), '1');
    t.equal(seen.get('Seccomp'), '2');
    t.match(seen.get('Uid'), /^65534 /);
    t.match(seen.get('mount /'), /\bro\b/);
    for (const place of ['/tmp', '/home/connector']) {
      t.match(seen.get(`mount ${place}`), /^tmpfs rw,(?=.*nosuid)(?=.*nodev)(?=.*noexec).* size=16384k$/, place);
    }
    t.match(seen.get('mount /weir/inputs'), /^tmpfs ro,/);
    t.equal(seen.get('engine sockets'), '');
    t.equal(seen.get('interfaces'), 'eth0 lo');
    for (const name of ['ipc', 'cgroup', 'mnt', 'net', 'pid', 'uts', 'user']) {
      t.not(seen.get(`namespace ${name}`), await readlink(`/proc/self/ns/${name}`), `${name} is another`);
    }
    const trials = kind === 'rootful' ? [...HARDENING, ...ENFORCED] : HARDENING;
    const tried = await told(runtime, image, 'trials', { trials });
    const refused = {
      'write-root': 'EROFS',
      'write-inputs': 'EROFS',
      'exec-tmp': 'EACCES',
      'set-uid': 'EPERM',
      'change-owner': 'EPERM',
    };
    for (const [name, code] of Object.entries(refused)) t.equal(tried.get(name), code, name);
    for (const name of ['make-device', 'mount', 'unshare']) t.match(tried.get(name), /^exit [1-9]/, name);
    t.match(tried.get('fill-tmp'), /^ENOSPC after 1[456] MiB$/);
    if (kind === 'rootless') return t.comment('memory, processes and CPU: shown on the rootful engine');
    t.ok(Number.parseInt(tried.get('processes') ?? '', 10) < LIMITS.pids, String(tried.get('processes')));
    t.equal(tried.get('memory'), 'SIGKILL');
    t.ok(Number.parseInt(tried.get('cpu') ?? '', 10) <= 75, String(tried.get('cpu')));
  });
}
