import { execFile } from 'node:child_process';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { bringStandIns } from '../compose/stand-ins.ts';
import { composeClient } from '../compose/tools.ts';
import { startRootful } from '../engines/start-rootful.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const SECRETS = path.join(ROOT, 'deploy', 'compose', 'secrets');
const USE = path.join(ROOT, 'test', 'compose', 'use.ts');
const HELD = { CapEff: '0000000000000000', CapBnd: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' };
/** Certificates are public, and the id of a key is what names it. */
const PUBLIC = /^(?:authority|idp_certificate|idp_realm|idp|object_store|workflow_engine|object_store_access_key_id)$/;
const say = (line: string) => void process.stderr.write(`${line}\n`);

interface Inspected {
  readonly Name: string;
  readonly State: { readonly Pid: number; readonly Running: boolean };
  readonly HostConfig: {
    readonly Memory: number;
    readonly PidsLimit: number;
    readonly NanoCpus: number;
    readonly Privileged: boolean;
  };
  readonly Mounts: readonly { readonly Type: string; readonly Source: string; readonly Destination: string }[];
}

const engine = await startRootful({ remap: false });
t.teardown(() => engine.stop());
const env = {
  ...process.env,
  DOCKER_HOST: `unix://${engine.socketPath}`,
  DOCKER_CONFIG: await composeClient(),
  DOCKER_BUILDKIT: '0',
};
const docker = async (...args: string[]) =>
  (await run('docker', args, { cwd: ROOT, env, maxBuffer: 2 ** 28 })).stdout.trim();
const compose = (...args: string[]) => docker('compose', ...args);
const inspected = async (): Promise<Inspected[]> =>
  JSON.parse(await docker('inspect', ...(await compose('ps', '-aq')).split('\n')));
const running = async () => (await inspected()).filter(({ State }) => State.Running).map(nameOf);
const nameOf = ({ Name }: Inspected) => Name.replace(/^\/weir-(.*)-1$/, '$1');

/** What a person does, in the network of the services. */
async function use(): Promise<string> {
  const enter = `--net=/proc/${await engine.daemon.pid()}/ns/net`;
  const person = { ...process.env, NODE_EXTRA_CA_CERTS: path.join(SECRETS, 'authority') };
  const args = [enter, process.execPath, '--conditions=@weir/source', USE];
  return (await run('nsenter', args, { env: person, cwd: ROOT })).stdout.trim();
}

t.test('the whole platform of the compose file', async (t) => {
  await bringStandIns(engine, say);
  await run('node', ['cli/bin/node24.mjs', 'deploy/compose/prepare.ts'], { cwd: ROOT, env, maxBuffer: 2 ** 26 });
  t.equal(await compose('config'), await compose('config'), 'it reads the same each time');

  await t.test('a secret that is missing → is named, and no service starts', async (t) => {
    const [there, away] = [path.join(SECRETS, 'db_owner_password'), path.join(SECRETS, 'away')];
    await rename(there, away);
    const fault = await compose('up', '-d', 'migrate').then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    );
    await rename(away, there);
    t.match(fault, /db_owner_password/);
  });

  await t.test('a migration that fails → starts no API', async (t) => {
    await compose('up', '-d', '--wait', 'postgres');
    await compose('run', '--rm', 'migrate');
    const address = path.join(SECRETS, 'db_superuser_url');
    const kept = await readFile(address, 'utf8');
    await writeFile(address, kept.replace(/:[^:@]+@/, ':wrong@'));
    await t.rejects(compose('up', '-d', 'api'), /migrate/);
    t.notOk((await running()).includes('api'));
    await writeFile(address, kept);
    await compose('down', '--volumes');
  });

  const began = performance.now();
  await compose('up', '-d', '--wait', '--wait-timeout', '600');
  say(`  healthy after ${Math.round((performance.now() - began) / 1_000)} s`);

  await t.test('each service is held to its bounds, read from its own process', async (t) => {
    for (const one of (await inspected()).filter(({ State }) => State.Running)) {
      const name = nameOf(one);
      const status = await readFile(`/proc/${one.State.Pid}/status`, 'utf8');
      const field = (word: string) => new RegExp(`^${word}:\\s*(\\S+)`, 'm').exec(status)?.[1];
      t.match(Object.fromEntries(Object.keys(HELD).map((word) => [word, field(word)])), HELD, name);
      t.not(field('Uid'), '0', `${name} is not root`);
      const mounts = (await readFile(`/proc/${one.State.Pid}/mountinfo`, 'utf8'))
        .split('\n')
        .map((line) => line.split(' '));
      t.match(mounts.find(([, , , , place]) => place === '/')?.[5], /^ro/, `${name}: its root cannot be written`);
      const temporary = mounts.find(([, , , , place]) => place === '/tmp');
      t.match(temporary?.[5], /nosuid.*nodev.*noexec/, `${name}: a bounded folder for temporary files`);
      const { Memory, PidsLimit, NanoCpus, Privileged } = one.HostConfig;
      t.ok(Memory > 0 && PidsLimit > 0 && NanoCpus > 0 && !Privileged, `${name}: memory, processes and CPU`);
      const sockets = one.Mounts.filter(({ Source }) => /docker|containerd/.test(Source) && !/volumes/.test(Source));
      t.strictSame(sockets, [], `${name} sees no engine of the host`);
    }
  });

  await t.test('a person signs in and makes a table; after the restart of each service it is there', async (t) => {
    const first = await use();
    t.match(first, /signed in {3}admin[\s\S]*succeeded[\s\S]*rows/);
    for (const service of await running()) await compose('restart', service);
    await compose('up', '-d', '--wait', '--wait-timeout', '600');
    t.equal(await use(), first);
  });

  await t.test('no secret is in an image, a setting or a log', async (t) => {
    const shown = [
      ...[JSON.stringify(await inspected()), await compose('config'), await compose('logs', '--no-color')],
      await docker('history', '--no-trunc', (await compose('images', '-q', 'api')).split('\n')[0] ?? ''),
    ].join('\n');
    for (const name of (await readdir(SECRETS)).filter((file) => !PUBLIC.test(file))) {
      const secret = (await readFile(path.join(SECRETS, name), 'latin1')).trim();
      t.notOk(shown.includes(secret), name);
    }
  });

  const health = JSON.parse(
    await compose(
      'exec',
      '-T',
      'api',
      'node',
      '-e',
      "fetch('http://127.0.0.1:8080/health').then(async (a) => console.log(await a.text()))",
    ),
  );
  t.match(health, { release_sha: /^[0-9a-f]{40}$/, image_digest: /^sha256:[0-9a-f]{64}$/ });
  await compose('down', '--volumes');
  say('  not proved here: the public images (stand-ins above), connectors by the rootless engine, bounds of cgroup v2');
});
