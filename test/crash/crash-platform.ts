import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTemporal, type RunningPostgres, type RunningTemporal, startPostgres, startTemporal } from '@weir/embedded';
import { type CallResult, call, type Endpoint, type Input } from '@weir/kernel/contract';
import { type Teardown, testIssuer } from '@weir/kernel/testing';
import { testBucket } from '@weir/lakehouse/testing';
import { bootstrapDatabase, createTenant, migrate, migrations } from '@weir/migrations';
import pg from 'pg';
import { type ApiProcess, apiProcess } from '../api-process.ts';
import { findObjectStore, type RunningObjectStore, startObjectStore } from '../object-store.ts';
import { platformEnvironment } from '../platform.ts';
import { ENGINE_NO_DURABILITY } from '../service-table.ts';
import { until } from '../until.ts';
import { folderWarehouse, type TestWarehouse } from '../warehouse-files.ts';
import { startWorker, type WorkerProcess } from '../worker-process.ts';
import type { Matrix, Service } from './cells.ts';
import { crashEngine } from './crash-engine.ts';
import { type FaultFolder, faultFolder } from './fault-folder.ts';
import { type Kept, kept } from './kept.ts';
import { readerProperties } from './read-rows.ts';

const DATABASE = 'weir_crash';
const PASSWORDS = { owner: 'test-owner', app: 'test-app', system: 'test-system' };
/** Commits come often, so that a crash finds some of the rows committed. */
const OFTEN = { WEIR_SYNC_COMMIT_SECONDS: '1' };

/** A platform of processes that can be killed and started again, with servers that nobody else uses. */
export interface CrashPlatform {
  readonly folder: string;
  /** Connectors run in containers. */
  readonly contained: boolean;
  readonly faults: FaultFolder;
  /** How a reader of our tables reaches the object store, if they lie in one. */
  readonly s3: Record<string, string>;
  readonly warehouse: TestWarehouse;
  workerPid(): number;
  /** The pids below the worker of one kind, as it says itself: `sync`, or `spare` for one that waits for the next sync. */
  workerChildren(kind: 'sync' | 'spare'): Promise<number[]>;
  /** One statement as superuser. */
  peek(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>;
  tenant(alias: string): Promise<Caller>;
  /** Kills a process as a power cut would; Postgres by its immediate shutdown. Resolves when it is gone. */
  kill(target: Service): Promise<void>;
  /** Kills what runs in the container of a run; false when there is none. */
  killContainer(runId: string): Promise<boolean>;
  /** Waits until no scratch folder, container or workspace of a run is left. */
  untilClean(): Promise<void>;
  /** Starts it again where it was, and every program of ours that has ended meanwhile, as a supervisor would. */
  restart(target: Service): Promise<void>;
}

/** Calls the API, wherever it is at the moment, as the administrator of a tenant. */
export type Caller = <E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>) => Promise<CallResult<E>>;

/** Starts everything that the cells of a matrix need; it ends with the test. The reason instead where there can be no engine. */
export async function crashPlatform(
  t: Teardown,
  folder: string,
  { warehouse, contained }: Pick<Matrix, 'warehouse' | 'contained'>,
): Promise<CrashPlatform | string> {
  await mkdir(join(folder, 'warehouse'), { recursive: true });
  const engine = contained ? await crashEngine(t) : undefined;
  if (typeof engine === 'string') return engine;
  const faults = await faultFolder(join(folder, 'faults'));
  const servers = await startServers(t, folder, warehouse);
  const url = new URL(servers.postgres.now.url);
  const [host, port, database] = [url.hostname, Number(url.port), DATABASE];
  await bootstrapDatabase({ superuserUrl: url.href, database, passwords: PASSWORDS });
  const owner = { host, port, database, user: 'weir_owner', password: PASSWORDS.owner };
  await migrate(owner, migrations);
  const app = { ...owner, user: 'weir_app', password: PASSWORDS.app };
  const issuer = await testIssuer(t);
  const environment = {
    ...platformEnvironment({ database: { name: DATABASE, app }, issuer, folder }),
    ...{ WORKFLOW_HOST: host, WORKFLOW_PORT: String(servers.temporal.now.port), ...OFTEN },
    ...{ WEIR_PLATFORM: join(import.meta.dirname, 'platform.json'), WEIR_FAULTPOINTS: faults.path },
    WEIR_TABLE_CACHE_DIR: join(folder, 'copies'),
    ...servers.environment,
    ...engine?.environment,
  };
  const programs = await startPrograms(t, environment);
  const asSuperuser = new URL(url);
  asSuperuser.pathname = `/${DATABASE}`;
  return {
    folder,
    contained,
    faults,
    s3: servers.reader,
    warehouse: servers.warehouse,
    workerPid: () => programs.worker.pid,
    async workerChildren(kind) {
      const record = join(folder, `state/worker-${programs.worker.pid}.json`);
      const text = await readFile(record, 'utf8').catch(() => '{"children":[]}');
      const { children }: { children: { name: string; pid: number }[] } = JSON.parse(text);
      return children.filter(({ name }) => name === kind).map(({ pid }) => pid);
    },
    peek: (text, params = []) => peek(asSuperuser.href, text, params),
    async tenant(alias) {
      await createTenant(owner, alias);
      const token = await issuer.userToken({ subject: `admin@${alias}`, organizations: [alias], roles: ['admin'] });
      return (endpoint, input = {}) => call(endpoint, input, { url: programs.api.url, token, tenant: alias });
    },
    async kill(target) {
      if (target === 'api' || target === 'worker') await programs.kill(target);
      else if (target === 'engine_killed') await engine?.kill('SIGKILL');
      else if (target === 'engine_stopped') await engine?.kill('SIGTERM');
      else await servers.kill(target);
    },
    killContainer: async (runId) => (await engine?.killContainer(runId)) ?? false,
    async untilClean() {
      const attempts = () => readdir(join(folder, 'work', 'attempts'));
      await until('the end of every scratch folder', async () => (await attempts()).length === 0);
      await engine?.untilClean();
    },
    async restart(target) {
      if (target === 'engine_killed' || target === 'engine_stopped') await engine?.restart();
      else if (target !== 'api' && target !== 'worker') await servers.restart(target);
      await programs.restart();
    },
  };
}

interface Servers {
  postgres: Kept<RunningPostgres>;
  temporal: Kept<RunningTemporal>;
  store: Kept<RunningObjectStore> | undefined;
  environment: Record<string, string>;
  reader: Record<string, string>;
  warehouse: TestWarehouse;
  kill(target: 'postgres' | 'temporal' | 'store'): Promise<void>;
  restart(target: 'postgres' | 'temporal' | 'store'): Promise<void>;
}

async function startServers(t: Teardown, folder: string, warehouse: 'folder' | 's3'): Promise<Servers> {
  const binary = process.env.WEIR_TEST_TEMPORAL_BINARY ?? (await findTemporal()).binary;
  const weed = warehouse === 's3' ? await findObjectStore() : '';
  // What a server has acknowledged outlives the end of its processes; that of the machine is not tested here.
  const postgres = (port?: number) =>
    startPostgres({
      ...{ dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log'), superuserPassword: 'weir-test' },
      ...{ settings: { fsync: 'off', full_page_writes: 'off' }, ...(port !== undefined && { port }) },
    });
  const temporal = (port?: number) =>
    startTemporal({
      ...{ binary, dbFile: join(folder, 'temporal.db'), logFile: join(folder, 'temporal.log') },
      pragmas: ENGINE_NO_DURABILITY,
      ...(port !== undefined && { port }),
    });
  const store = (port?: number) =>
    startObjectStore({ binary: weed, folder: join(folder, 'store'), ...(port !== undefined && { port }) });
  const servers: Servers = {
    postgres: await kept(t, postgres),
    temporal: await kept(t, temporal),
    store: warehouse === 's3' ? await kept(t, store) : undefined,
    environment: {},
    reader: {},
    warehouse: folderWarehouse(join(folder, 'warehouse')),
    async kill(target) {
      if (target === 'store') return void (await servers.store?.now.stop('SIGKILL'));
      const server = servers[target].now;
      process.kill(server.pid, target === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      await server.exited;
    },
    restart: async (target) => servers[target]?.restart(),
  };
  return servers.store === undefined ? servers : Object.assign(servers, await objectStore(t, servers.store.now));
}

/** A bucket, and how platform and reader find it. */
async function objectStore(t: Teardown, { endpoint, accessKeyId, secretAccessKey }: RunningObjectStore) {
  const bucket = await testBucket({ endpoint, accessKeyId, secretAccessKey });
  t.teardown(bucket.close);
  const keys = { OBJECT_STORE_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey };
  return {
    environment: { WEIR_WAREHOUSE: bucket.warehouse, OBJECT_STORE_ENDPOINT_URL: endpoint, ...keys },
    reader: readerProperties(bucket.s3),
    warehouse: { io: bucket.open(), location: bucket.warehouse },
  };
}

/** The API and a worker, each with how it ended if it did. */
async function startPrograms(t: Teardown, environment: Record<string, string>) {
  const start = { api: () => apiProcess(t, environment), worker: () => startWorker(t, environment) };
  const programs: { api: ApiProcess; worker: WorkerProcess } = { api: await start.api(), worker: await start.worker() };
  const isGone = (pid: number) => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  return Object.assign(programs, {
    async kill(target: 'api' | 'worker') {
      const { pid } = programs[target];
      process.kill(pid, 'SIGKILL');
      await until(`the end of the ${target}`, () => isGone(pid));
    },
    async restart() {
      if (isGone(programs.api.pid)) programs.api = await start.api();
      if (isGone(programs.worker.pid)) programs.worker = await start.worker();
    },
  });
}

async function peek(url: string, text: string, params: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, params)).rows;
  } finally {
    await client.end();
  }
}
