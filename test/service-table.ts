import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PostgresBinaries } from '@weir/embedded';

/** How a service starts, and what others it asks for. Each loads its code only then. */
export interface ServiceContext {
  /** The folder for the data of all services. */
  folder(): Promise<string>;
  /** The variables of the service behind `variable`, started if it is not yet. */
  need(variable: string): Promise<Readonly<Record<string, string>>>;
}

export interface StartedService {
  readonly addresses: Readonly<Record<string, string>>;
  /** Version and place, for the log. */
  readonly about: string;
  /** Why this machine cannot have it; its tests are skipped. */
  readonly missing?: string;
  /** It uses other services, so it stops before them. */
  readonly dependent?: true;
  stop?(): Promise<void>;
}

interface Service {
  /** A test file that reads one of these in `process.env` makes the runner start the service. */
  readonly variables: readonly string[];
  start(context: ServiceContext): Promise<StartedService>;
}

export type ServiceName = keyof typeof SERVICES;

const NO_DURABILITY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** The workflow engine computes a third less with these, as no write waits for the disk. What it has written outlives its process. */
export const ENGINE_NO_DURABILITY = { journal_mode: 'wal', synchronous: 'off' };
/** A queue of a test has few tasks: in four parts, the default, it costs a third more. */
const ONE_PARTITION = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };
/** Tests of change data capture read from the same server. */
const CHANGE_DATA = { wal_level: 'logical', max_replication_slots: '40', max_wal_senders: '20' };
/** `debian` makes Debian's Postgres 15, the oldest supported release, the server of every test: the lane postgres-15. */
export const POSTGRES_VARIABLE = 'WEIR_TEST_POSTGRES';
const SHARED_PLATFORM = fileURLToPath(new URL('shared-platform.ts', import.meta.url));
const COMPILE_WORKFLOWS = fileURLToPath(new URL('compile-workflows.ts', import.meta.url));

async function postgres(context: ServiceContext): Promise<StartedService> {
  const binaries: PostgresBinaries = process.env[POSTGRES_VARIABLE] === 'debian' ? 'debian' : 'embedded';
  const { startPostgres } = await import('@weir/embedded');
  const { templateDatabase } = await import('../kernel/src/testing/test-database.ts');
  const folder = await context.folder();
  const server = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    logFile: path.join(folder, 'postgres.log'),
    superuserPassword: 'weir-test',
    settings: { ...NO_DURABILITY, ...CHANGE_DATA },
    binaries,
  });
  await templateDatabase(server.url, await import('@weir/migrations'));
  return {
    addresses: { WEIR_TEST_DATABASE_URL: server.url },
    about: `${binaries}, port ${server.port}`,
    stop: async () => void (await server.stop()),
  };
}

/** Also compiles the workflows, once for all workers, each of which would do it otherwise. */
async function workflowEngine(context: ServiceContext): Promise<StartedService> {
  const { findTemporal, startTemporal } = await import('@weir/embedded');
  const [{ binary, version, origin }, folder] = await Promise.all([findTemporal(), context.folder()]);
  const [dbFile, logFile] = [path.join(folder, 'temporal.db'), path.join(folder, 'temporal.log')];
  const settings = { pragmas: ENGINE_NO_DURABILITY, dynamicConfig: ONE_PARTITION };
  const [server] = await Promise.all([
    startTemporal({ binary, dbFile, logFile, ...settings }),
    promisify(execFile)(process.execPath, [...process.execArgv, COMPILE_WORKFLOWS]),
  ]);
  return {
    addresses: { WEIR_TEST_TEMPORAL_ADDRESS: server.address, WEIR_TEST_TEMPORAL_BINARY: binary },
    about: `${version} (${origin}), port ${server.port}`,
    stop: async () => void (await server.stop()),
  };
}

async function objectStore(context: ServiceContext): Promise<StartedService> {
  const { findObjectStore, startObjectStore } = await import('./object-store.ts');
  const folder = path.join(await context.folder(), 'object-store');
  const server = await startObjectStore({ binary: await findObjectStore(), folder });
  return {
    addresses: {
      WEIR_TEST_S3_ENDPOINT: server.endpoint,
      WEIR_TEST_S3_ACCESS_KEY_ID: server.accessKeyId,
      WEIR_TEST_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
      WEIR_TEST_ICEBERG_REST_URI: server.catalogUri,
    },
    about: `SeaweedFS, port ${server.port}`,
    stop: () => server.stop(),
  };
}

async function secretStore(context: ServiceContext): Promise<StartedService> {
  const { findSecretStore, startSecretStore } = await import('./secret-store.ts');
  const folder = path.join(await context.folder(), 'secret-store');
  const server = await startSecretStore({ binary: await findSecretStore(), folder });
  return {
    addresses: {
      WEIR_TEST_SECRET_STORE_ADDR: server.address,
      WEIR_TEST_SECRET_STORE_CACERT: server.caFile,
      WEIR_TEST_SECRET_STORE_TOKEN: server.token,
    },
    about: `OpenBao, ${server.address}`,
    stop: () => server.stop(),
  };
}

async function engine(kind: 'rootless' | 'rootful'): Promise<StartedService> {
  const { ENGINE_VARIABLES, MachineUnfit, NO_ENGINES_VARIABLE, startRootful, startRootless } = await import(
    './engines/index.ts'
  );
  try {
    const started = await (kind === 'rootless' ? startRootless() : startRootful());
    return {
      addresses: { [ENGINE_VARIABLES[kind]]: started.socketPath },
      about: started.socketPath,
      stop: () => started.stop(),
    };
  } catch (fault) {
    if (!(fault instanceof MachineUnfit)) throw fault;
    return { addresses: { [NO_ENGINES_VARIABLE]: fault.message }, about: kind, missing: fault.message };
  }
}

/** API and worker, each file with tenants of its own. It ends with this process. */
async function sharedPlatform({ need }: ServiceContext): Promise<StartedService> {
  const env = {
    ...process.env,
    ...(await need('WEIR_TEST_DATABASE_URL')),
    ...(await need('WEIR_TEST_TEMPORAL_ADDRESS')),
  };
  const child = fork(SHARED_PLATFORM, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'], detached: true });
  const exited = once(child, 'exit');
  const line = child.stdout ? await Promise.race([once(createInterface(child.stdout), 'line'), exited]) : [];
  if (typeof line[0] !== 'string') throw new Error(`the shared platform ended with exit code ${line[0]}`);
  return {
    addresses: { WEIR_TEST_PLATFORM: line[0] },
    about: `process ${child.pid}`,
    dependent: true,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Every service of tests by its name in the log. */
export const SERVICES = {
  /** A test makes its own database on it, as superuser. */
  postgres: { variables: ['WEIR_TEST_DATABASE_URL'], start: postgres },
  'workflow engine': {
    variables: ['WEIR_TEST_TEMPORAL_ADDRESS', 'WEIR_TEST_TEMPORAL_BINARY'],
    start: workflowEngine,
  },
  readers: {
    variables: ['WEIR_TEST_PYTHON'],
    start: async () => {
      const { testPython } = await import('./python.ts');
      return { addresses: { WEIR_TEST_PYTHON: await testPython() }, about: 'PyIceberg, DuckDB for Python' };
    },
  },
  'object store': {
    variables: [
      ...['WEIR_TEST_S3_ENDPOINT', 'WEIR_TEST_S3_ACCESS_KEY_ID', 'WEIR_TEST_S3_SECRET_ACCESS_KEY'],
      'WEIR_TEST_ICEBERG_REST_URI',
    ],
    start: objectStore,
  },
  'secret store': {
    variables: ['WEIR_TEST_SECRET_STORE_ADDR', 'WEIR_TEST_SECRET_STORE_CACERT', 'WEIR_TEST_SECRET_STORE_TOKEN'],
    start: secretStore,
  },
  'shared platform': { variables: ['WEIR_TEST_PLATFORM'], start: sharedPlatform },
  'rootless engine': { variables: ['WEIR_TEST_ROOTLESS_SOCKET'], start: () => engine('rootless') },
  'rootful engine': { variables: ['WEIR_TEST_ROOTFUL_SOCKET'], start: () => engine('rootful') },
} as const satisfies Record<string, Service>;

/** Every variable that stands for a service. */
export const SERVICE_VARIABLES: readonly string[] = Object.values(SERVICES).flatMap(({ variables }) => variables);
