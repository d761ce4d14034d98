import { execFile } from 'node:child_process';
import { chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testBucket } from '@weir/lakehouse/testing';
import t, { type Test } from 'tap';
import { ownWorkspace } from '../../../connectors/runtime/test/container-kit.ts';
import { type Engine, engineSettings, programImage, testEngine } from '../../../test/engines/index.ts';
import { type HardenedOptions, hardened, missingForBounds } from '../../../test/hardened/hardened.ts';
import type { Attempts } from '../../../test/hardened/try-bounds.ts';
import { startWorkerBy } from '../../../test/worker-process.ts';
import { WORKFLOW_CACHE } from '../../../test/workflow-cache.ts';
import { containedPlatform } from './contained-platform.ts';
import { synced, type TestPlatform } from './platform.ts';
import { readySource } from './ready-source.ts';

/** Only a hang reaches it. */
t.setTimeout(600_000);
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
/** Of another engine, and of the machine's services. */
const HOST_SOCKETS = ['/run/docker.sock', '/run/dbus/system_bus_socket'] as const;
const EVERYBODY = 0o005;
/** One finds the workflows compiled where nothing can be written; the other compiles them itself. */
const CACHES = { source: {}, discovery: { WEIR_CACHE_DIR: WORKFLOW_CACHE.replace(ROOT, INSTALLED) } } as const;
const NODE = `${INSTALLED}/node_modules/.bin/node`;
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];

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
  const host = createServer((peer) => peer.end());
  await new Promise<void>((listening) =>
    host.listen({ path: join(machine, 'host.sock'), writableAll: true }, listening),
  );
  t.teardown(() => host.close());
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

/** Another program in the place of the worker, in the bounds of a unit that is changed. */
type OtherService = { readonly command?: readonly string[]; readonly change?: (unit: string) => string };

/** The unit, with workspaces where the engine of the tests sees them too, and its service on this machine. */
async function service({ platform, engine, workspaces, machine }: World, role: Role, other: OtherService = {}) {
  const { command, change = (text) => text } = other;
  const unit = change(await readFile(UNIT, 'utf8'))
    .replaceAll('/run/weir-connectors/%i', workspaces[role])
    .replaceAll('/run/weir-connectors/source', workspaces.source)
    .replaceAll('/run/weir-connectors/discovery', workspaces.discovery);
  const told = Object.entries(platform.environment).filter(([name]) => !NOT_TOLD.includes(name));
  const credentials = `/run/credentials/weir-worker@${role}.service`;
  return hardened({
    unit,
    instance: role,
    installed: INSTALLED,
    uid: IDS[role],
    groups: [ENGINE_GROUP],
    environment: {
      ...Object.fromEntries(told.map(([name, value]) => [name, value.replace(ROOT, INSTALLED)])),
      ...CACHES[role],
    },
    credentials,
    machine: [
      { source: ROOT, target: INSTALLED },
      { source: dirname(engine.socketPath), target: '/run/weir-connector-engine' },
      { source: workspaces.discovery, target: '/run/weir-connectors/discovery' },
      { source: join(machine, role), target: credentials },
      { source: join(machine, `state-${role}`), target: `${STATES}/${role}` },
      ...HOST_SOCKETS.map((target) => ({ source: join(machine, 'host.sock'), target })),
    ],
    ...(command === undefined ? {} : { command }),
  } satisfies HardenedOptions);
}

/** Runs a program of ours to its end in the bounds of a role. */
async function inBounds(world: World, role: Role, program: readonly string[], change?: OtherService['change']) {
  const line = [NODE, ...NODE_ARGS, ...program];
  const { command, args, env } = await service(world, role, { command: line, ...(change && { change }) });
  return (await run(command, args, { env })).stdout;
}

const engine = await testEngine(t, 'rootful');
const lacking = await missingForBounds();
if (typeof engine === 'string') t.plan(0, engine);
else if (((await stat(ROOT)).mode & EVERYBODY) !== EVERYBODY) t.plan(0, 'other users may not read this checkout');
else if (lacking !== undefined) t.plan(0, lacking);
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
      t.strictSame([field('NoNewPrivs'), field('Seccomp')], [['1'], ['2']]);
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      for (const name of CREDENTIALS) t.notMatch(environment, `${name}=`, `${role} has ${name} as a file alone`);
    }
    const probed = JSON.parse(await inBounds(all, 'source', ['workers/src/health.ts', '--roles', 'source']));
    t.match(probed, { healthy: true });
    t.match(probed.findings.at(-1), { check: 'bounds', outcome: 'ok' });
    const engineSocket = '/run/weir-connector-engine/docker.sock';
    const places = [
      [engineSocket, ...HOST_SOCKETS],
      ['/run', STATES, workspaces.discovery, '/dev/shm', '/root'],
    ];
    const hostSockets = (outcome: string) => Object.fromEntries(HOST_SOCKETS.map((path) => [path, outcome]));
    const tried = async (unit: (text: string) => string): Promise<Attempts> => {
      const program = ['test/hardened/try-bounds.ts', ...places.map((some) => some.join())];
      const found = JSON.parse(await inBounds(all, 'source', program, unit)) as Attempts;
      return { ...found, writable: found.writable.sort(), executable: found.executable.sort() };
    };
    t.strictSame(await tried((text) => text), {
      writable: ['/tmp', `${STATES}/source`, workspaces.source].sort(),
      executable: [],
      temporary: 4096,
      rights: {
        'become root': 'EPERM',
        'join a group': 'EPERM',
        'set a user id bit': 'EPERM',
        mount: 'refused',
        'a user namespace': 'refused',
        'write a tunable': 'EROFS',
        'look into process 1': 'EACCES',
      },
      sockets: { [engineSocket]: 'done', ...hostSockets('ENOENT') },
      folders: {
        '/run': ['credentials', 'weir-connector-engine', 'weir-workers'],
        [STATES]: ['source'],
        [workspaces.discovery]: 'ENOENT',
        '/dev/shm': 'EACCES',
        '/root': 'EACCES',
      },
    });
    const looser = (text: string) =>
      text
        .replace(/^InaccessiblePaths=.*$/m, '')
        .replace('TemporaryFileSystem=/run:ro', '')
        .replace(',noexec', '');
    t.match(
      await tried(looser),
      {
        writable: ['/dev/shm', '/tmp', `${STATES}/source`, workspaces.source].sort(),
        executable: ['/dev/shm', '/tmp'],
        sockets: hostSockets('done'),
      },
      'it is the unit that forbids them',
    );
  });
}
