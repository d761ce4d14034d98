import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Kernel, WorkerDoor } from '@weir/kernel';
import { test } from 'tap';
import { parse } from 'yaml';
import { makeSecrets } from '../../deploy/compose/secrets.ts';
import { memoryFaults } from '../../workers/src/hold-to-memory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { source: string })[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly healthcheck?: { readonly timeout: string };
  readonly [name: string]: unknown;
}

const text = await readFile(path.join(ROOT, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const secretsOf = ({ secrets = [] }: Service) => secrets.map((one) => (typeof one === 'string' ? one : one.source));

/** The doors of workers that the plugins of the deployment bring, by role. */
async function doors(): Promise<{ role: string; module: string; settings: string }[]> {
  const { plugins } = JSON.parse(await readFile(path.join(ROOT, 'platform.json'), 'utf8')) as { plugins: string[] };
  const found = globSync('plugins/*/package.json', { cwd: ROOT }).map(async (file) => {
    const { name, weir } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as Manifest;
    const src = path.join(ROOT, path.dirname(file), 'src');
    return (plugins.includes(name) ? (weir?.workers ?? []) : []).map(({ role, entry }) => ({
      role,
      module: path.join(src, `${entry}.ts`),
      settings: path.join(src, 'settings.ts'),
    }));
  });
  return (await Promise.all(found)).flat();
}

interface Manifest {
  readonly name: string;
  readonly weir?: { readonly workers?: readonly { readonly role: string; readonly entry: string }[] };
}

const roles = async () => [...new Set((await doors()).map(({ role }) => role))].sort();
const settingOf = (role: string) => `WORKFLOW_${role.toUpperCase().replaceAll('-', '_')}_MAX_CONCURRENT_ACTIVITIES`;
const shared = await readFile(path.join(ROOT, 'deploy', 'compose', 'weir.env'), 'utf8');

test('each role of a worker that a plugin brings has a service, and each service a role', async (t) => {
  const served = services.flatMap(([, { command: [program, role = ''] = [] as readonly string[] }]) =>
    program === 'worker' ? [role] : [],
  );
  t.strictSame(served.sort(), await roles());
});

test('every service is held to its bounds', async (t) => {
  for (const [name, service] of services) {
    t.match(
      service,
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true },
      `${name} may change nothing of its machine`,
    );
    for (const bound of ['pids_limit', 'mem_limit', 'cpus', 'networks', 'logging'])
      t.ok(service[bound], `${name}: ${bound}`);
    for (const forbidden of ['privileged', 'cap_add', 'devices', 'pid', 'ipc', 'network_mode', 'userns_mode']) {
      t.notOk(forbidden in service, `${name} asks for no ${forbidden}`);
    }
    for (const mount of service.tmpfs ?? [])
      t.match(mount, /^\/[\w/-]+:size=\d+[mg],mode=\d+,noexec,nosuid,nodev$/, name);
    for (const port of service.ports ?? [])
      t.match(port, /^\$\{WEIR_ADDRESS:-127\.0\.0\.1\}:/, `${name} listens on loopback`);
    t.notMatch(service.image, /:latest\b|^[^:]+$/, `${name} names a release`);
    const seconds = Number.parseInt(service.healthcheck?.timeout ?? '30', 10);
    t.ok(seconds >= 30, `${name}: a slow machine does not make a service sick`);
    t.ok(service.restart === 'no' || service.restart === 'unless-stopped', `${name} says whether it starts again`);
  }
});

test('the slots of each worker fit into its memory beside the files that it holds there', async (t) => {
  const mebibytes = (size: unknown) => Number.parseInt(String(size), 10) * (String(size).endsWith('g') ? 1_024 : 1);
  for (const { role, module, settings } of await doors()) {
    const [name, service] =
      services.find(([, { command = [] }]) => command[0] === 'worker' && command[1] === role) ?? [];
    const memoryMiB = mebibytes(service?.mem_limit);
    const filesMiB = (service?.tmpfs ?? []).reduce((sum, mount) => sum + mebibytes(/size=(\w+)/.exec(mount)?.[1]), 0);
    const slots = Number(new RegExp(`^${settingOf(role)}=(\\d+)$`, 'm').exec(shared)?.[1]);
    const { worker } = (await import(module)) as { worker: WorkerDoor };
    const own = (existsSync(settings) ? await import(settings) : {}) as { settings?: TSchema };
    const declared = own.settings ?? Type.Object({});
    const kernel = { settings: Value.Default(declared, {}) } as unknown as Kernel;
    const { slotMiB = 0 } = worker;
    const size = typeof slotMiB === 'function' ? slotMiB(kernel, { slots, memoryMiB }) : slotMiB;
    t.strictSame(memoryFaults({ memoryMiB, filesMiB }, [{ role, slots, slotMiB: size }]), [], `${name}`);
  }
});

test('two workers alone reach the connector engine, each by its own workspace, and no service another engine', async (t) => {
  const host = services.flatMap(([name, { volumes = [] }]) =>
    volumes.filter((one) => one.startsWith('/')).map((one) => `${name} ${one}`),
  );
  t.strictSame(host.sort(), [
    'discovery-worker /run/weir-connector-engine:/run/weir-connector-engine:ro',
    'discovery-worker /run/weir-connectors/discovery:/run/weir-connectors/discovery',
    'source-worker /run/weir-connector-engine:/run/weir-connector-engine:ro',
    'source-worker /run/weir-connectors/source:/run/weir-connectors/source',
  ]);
});

test('a worker is given the files that it may have, and what migrates alone those of the owner', async (t) => {
  for (const [name, service] of services) {
    const [program] = service.command ?? [];
    if (program !== 'worker') continue;
    t.strictSame(
      secretsOf(service).sort(),
      ['authority', 'credential_key', 'db_password', 'object_store_access_key_id', 'object_store_secret_access_key'],
      name,
    );
  }
  const owners = services.filter(([, one]) =>
    secretsOf(one).some((secret) => /owner|system|superuser_url/.test(secret)),
  );
  t.strictSame(
    owners.map(([name]) => name),
    ['migrate'],
  );
});

test('what a worker carries is in the shared file and not in the compose file', async (t) => {
  t.notMatch(text, /MAX_CONCURRENT|ACTIVITY_MAX_WORKERS/);
  for (const role of await roles()) t.match(shared, new RegExp(`^${settingOf(role)}=\\d+$`, 'm'));
  t.notMatch(shared, /PASSWORD|SECRET|TOKEN|_KEY/);
});

test('what holds state is on networks that lead nowhere else', async (t) => {
  t.match(compose.networks, { data: { internal: true }, engine: { internal: true } });
  const outside = services
    .filter(([, { networks }]) => JSON.stringify(networks).includes('edge'))
    .map(([name]) => name);
  t.strictSame(outside.sort(), ['api', 'idp', 'worker']);
});

test('each secret is made once, as a file, and its folder is entered by its owner alone', async (t) => {
  const folder = path.join(t.testdir(), 'secrets');
  const first = await makeSecrets(folder);
  const named = Object.values(compose.secrets).map(({ file }) => path.basename(file));
  t.strictSame(
    named.filter((name) => !first.made.includes(name)),
    [],
  );
  const read = async () => Promise.all((await readdir(folder)).sort().map((name) => readFile(path.join(folder, name))));
  const before = await read();
  t.strictSame((await makeSecrets(folder)).made, [], 'the second time makes none');
  t.strictSame(await read(), before);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  const [password, url, engine] = await Promise.all(
    ['db_superuser_password', 'db_superuser_url', 'workflow_engine'].map((name) =>
      readFile(path.join(folder, name), 'utf8'),
    ),
  );
  t.ok(url?.includes(password as string));
  t.match(parse(engine as string, { merge: true }) as object, {
    persistence: {
      datastores: { visibility: { sql: { databaseName: 'workflow_engine_visibility', password: /^[\w-]{43}$/ } } },
    },
  });
});
