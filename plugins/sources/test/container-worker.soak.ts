import { execFile } from 'node:child_process';
import { chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testBucket } from '@weir/lakehouse/testing';
import t, { type Test } from 'tap';
import { ownWorkspace } from '../../../connectors/runtime/test/container-kit.ts';
import { type Engine, engineSettings, programImage, testEngine } from '../../../test/engines/index.ts';
import { lastOf, readService, wordsOf } from '../../../test/read-unit.ts';
import { startWorkerBy, type WorkerCommand } from '../../../test/worker-process.ts';
import { WORKFLOW_CACHE } from '../../../test/workflow-cache.ts';
import { containedPlatform } from './contained-platform.ts';
import { synced, type TestPlatform } from './platform.ts';
import { readySource } from './ready-source.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');
const INSTALLED = '/opt/weir';
const UNIT = join(ROOT, 'deploy/workers/systemd/weir-worker@.service');
const IMAGE = 'weir-test/hardened:1';
/** Where a worker says that it lives; as its unit has it. */
const STATES = '/run/weir-workers';
/** Users that this machine has no name for, in the place of those that `sysusers.d` makes. */
const IDS = { source: 64_123, discovery: 64_124 } as const;
type Role = keyof typeof IDS;
/** The group of the tests' engine in the place of `weir-connectors`. */
const ENGINE_GROUP = 0;
const CREDENTIALS = ['DB_PASSWORD', 'OBJECT_STORE_ACCESS_KEY_ID', 'OBJECT_STORE_SECRET_ACCESS_KEY'] as const;
/** What the unit says itself, or what lies in the folder for temporary files unless somebody says another. */
const NOT_TOLD = [
  'SOURCE_SOCKET_DIR',
  'DISCOVERY_SOCKET_DIR',
  'WEIR_SOURCE_WORKSPACE_DIR',
  'WEIR_DISCOVERY_WORKSPACE_DIR',
]
  .concat(['WEIR_STATE_DIR', 'WEIR_WORK_DIR', 'WEIR_CACHE_DIR', 'WEIR_RUN_LOG_DIR'])
  .concat(CREDENTIALS);
const EVERYBODY = 0o005;
/** One finds the workflows compiled where nothing can be written; the other compiles them itself. */
const CACHES = { source: {}, discovery: { WEIR_CACHE_DIR: WORKFLOW_CACHE.replace(ROOT, INSTALLED) } } as const;

type World = {
  readonly platform: TestPlatform;
  readonly engine: Engine;
  readonly workspaces: Readonly<Record<Role, string>>;
  /** A folder that stands for `/run` of the machine, and the credentials of both services in it. */
  readonly machine: string;
};

/** The platform with its tables in S3, and what an installation has on the machine of its workers. */
async function world(t: Test, engine: Engine): Promise<World> {
  const workspaceOf = (role: Role) => ownWorkspace(t, engine, { uid: IDS[role], mode: 0o2750 });
  const workspaces = { source: await workspaceOf('source'), discovery: await workspaceOf('discovery') };
  const { s3, warehouse, close } = await testBucket();
  t.teardown(close);
  const platform = await containedPlatform(t, [{ image: IMAGE }], {
    ...engineSettings(engine, workspaces),
    WEIR_WAREHOUSE: warehouse,
    OBJECT_STORE_ENDPOINT_URL: s3.endpoint ?? '',
    OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  return { platform, engine, workspaces, machine: await machineOf(t, platform) };
}

async function machineOf(t: Test, { environment }: TestPlatform): Promise<string> {
  const machine = await mkdtemp(join(tmpdir(), 'weir-hardened-'));
  t.teardown(() => rm(machine, { recursive: true, force: true }));
  for (const [role, uid] of Object.entries(IDS)) {
    await mountState(t, join(machine, `state-${role}`), role);
    await mkdir(join(machine, role));
    for (const name of CREDENTIALS) {
      const file = join(machine, role, name);
      await writeFile(file, environment[name] ?? '', { mode: 0o400 });
      await chown(file, uid, uid);
    }
    await chown(join(machine, role), uid, uid);
  }
  return machine;
}

/** The folder in which a worker says that it lives, as its mount unit makes it. */
async function mountState(t: Test, folder: string, role: string): Promise<void> {
  const unit = await readFile(join(ROOT, `deploy/workers/systemd/run-weir\\x2dworkers-${role}.mount`), 'utf8');
  const options = /^Options=(.*)$/m.exec(unit)?.[1] ?? '';
  await mkdir(folder);
  await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    options.replaceAll(`weir-${role}`, String(IDS[role as Role])),
    'tmpfs',
    folder,
  ]);
  t.teardown(() => run('umount', ['--lazy', folder]));
}

/** Puts folders at their places in a /run and an /opt of their own: source and target in turn. Then nothing else is writable. */
const MOUNTS = `set -eu
tmp=$1; shift
mount() { command mount --no-mtab "$@"; }
mount -t tmpfs tmpfs /mnt
at=0; for place; do at=$((at + 1)); [ $((at % 2)) = 1 ] || continue; mkdir /mnt/$at; mount --bind "$place" /mnt/$at; done
for folder in /run /opt; do mount -t tmpfs -o mode=755 tmpfs $folder; done
mount -t tmpfs -o "$tmp" tmpfs /tmp
at=0; for place; do at=$((at + 1)); [ $((at % 2)) = 0 ] || continue; mkdir -p "$place"; mount --bind /mnt/$((at - 1)) "$place"; done
umount --recursive --lazy /mnt
for folder in $HIDDEN; do [ ! -d $folder ] || mount -t tmpfs -o mode=0,ro tmpfs $folder; done
for folder in /run /run/credentials/* /opt/weir; do mount -o remount,bind,ro $folder; done
mount -o remount,bind,ro /
cd /opt/weir`;
const NODE = `${INSTALLED}/node_modules/.bin/node --conditions=@weir/source --disable-warning=ExperimentalWarning`;
/** Prints the mounts in which a file can be made; without blanks, as a shell takes it apart. */
const WRITABLE = `const{writeFileSync:w,readFileSync:r}=require('fs');for(const[,,,,at]of[...r('/proc/self/mountinfo','utf8').matchAll(/^.*$/gm)].map(([l])=>l.split('\\x20')))try{w(at+'/tries','');process.stdout.write(at+'\\x20')}catch{}`;
const NO_RIGHTS = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'];

/**
 * How a program of a role is started as its unit says, as far as that needs neither the service manager nor filters of
 * system calls: user, groups, rights, environment, and mounts.
 */
async function service(world: World, role: Role, program?: string): Promise<WorkerCommand> {
  const { platform, engine, workspaces, machine } = world;
  const credentials = `/run/credentials/weir-worker@${role}.service`;
  const unit = readService(await readFile(UNIT, 'utf8'), { i: role, d: credentials });
  const [, tmp = ''] = (wordsOf(unit, 'TemporaryFileSystem')[0] ?? '').split(':');
  const places = [
    ...[ROOT, INSTALLED, dirname(engine.socketPath), '/run/weir-connector-engine'],
    ...[workspaces[role], workspaces[role], join(machine, role), credentials],
    ...[join(machine, `state-${role}`), `${STATES}/${role}`],
  ];
  const asItsUser = [
    'setpriv',
    `--reuid=${IDS[role]}`,
    `--regid=${IDS[role]}`,
    `--groups=${IDS[role]},${ENGINE_GROUP}`,
  ];
  const script = `${MOUNTS}\numask ${lastOf(unit, 'UMask')}\nexec ${[...asItsUser, ...NO_RIGHTS].join(' ')} $COMMAND`;
  const told = Object.entries(platform.environment).filter(([name]) => !NOT_TOLD.includes(name));
  return {
    command: 'unshare',
    args: ['--mount', '--ipc', '--propagation', 'private', 'sh', '-c', script, 'sh', tmp, ...places],
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/',
      ...Object.fromEntries(wordsOf(unit, 'Environment').map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
      ...Object.fromEntries(told.map(([name, value]) => [name, value.replace(ROOT, INSTALLED)])),
      // The engine of the tests sees its workspace under another name than that of an installation.
      [`WEIR_${role.toUpperCase()}_WORKSPACE_DIR`]: workspaces[role],
      ...CACHES[role],
      HIDDEN: wordsOf(unit, 'InaccessiblePaths').join(' ').replaceAll('-/', '/'),
      COMMAND: program ?? lastOf(unit, 'ExecStart'),
    },
  };
}

/** Runs a program of ours to its end in the bounds of a role; what it prints. */
async function inBounds(world: World, role: Role, program: string): Promise<string> {
  const { command, args, env } = await service(world, role, program);
  return (await run(command, [...args], { env })).stdout;
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else if (((await stat(ROOT)).mode & EVERYBODY) !== EVERYBODY) t.plan(0, 'other users may not read this checkout');
else {
  t.test('workers of both roles discover and sync within the bounds that their unit gives them', async (t) => {
    const root = (folder: string) =>
      cp(t.testdir({ data: { 'people.csv': 'id,name\n1,Ann\n2,Bo\n' } }), folder, { recursive: true });
    await programImage(engine, { name: IMAGE, entry: join(ROOT, 'connectors/files/src/main.ts'), root });
    const all = await world(t, engine);
    const { platform, workspaces } = all;
    const started = async (role: Role) => startWorkerBy(t, await service(all, role));
    const workers = await Promise.all((['source', 'discovery'] as const).map(started));

    const api = await platform.as('demo');
    const body = { name: 'shop', pattern_id: 'contained', source_config: { path: '/data' } };
    const source_id = await readySource(api, body, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    t.match(await synced(api, source_id), { status: 'succeeded', verdict: 'clean', rows_written: 2 });

    for (const [at, role] of (['source', 'discovery'] as const).entries()) {
      const pid = workers[at]?.pid ?? 0;
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/);
      t.strictSame(field('Uid'), Array(4).fill(String(IDS[role])));
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) t.match(field(set), [/^0+$/], set);
      t.strictSame(field('NoNewPrivs'), ['1']);
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      for (const name of CREDENTIALS) t.notMatch(environment, `${name}=`, `${role} has ${name} as a file alone`);
    }
    const probed = JSON.parse(await inBounds(all, 'source', `${NODE} workers/src/health.ts --roles source`));
    t.match(probed, { healthy: true });
    t.match(probed.findings.at(-1), { check: 'bounds', outcome: 'ok' });
    const writable = await inBounds(all, 'source', `${NODE} -e ${WRITABLE}`);
    t.strictSame(writable.trim().split(' ').sort(), ['/tmp', `${STATES}/source`, workspaces.source].sort());
  });
}
