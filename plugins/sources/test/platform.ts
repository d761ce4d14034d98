import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunningPlatform } from '@weir/kernel/boot';
import { type CallResult, call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import type { TestDatabase } from '@weir/kernel/testing';
import { until } from '../../../test/until.ts';
import { WORKFLOW_CACHE } from '../../../test/workflow-cache.ts';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  type SourceView,
  type StreamView,
  type SyncRunDetailView,
  startDiscovery,
  startSync,
  updateStream,
} from '../src/contract.ts';

interface Test {
  teardown(work: () => unknown): void;
}

const ROOT = resolve(import.meta.dirname, '../../..');

export type Api = <E extends Endpoint>(
  endpoint: E,
  input?: Partial<Input<E>>,
  headers?: Record<string, string>,
) => Promise<CallResult<E>>;

export interface TestPlatform {
  /** A folder that goes with the test. */
  folder: string;
  database: TestDatabase;
  stateDir: string;
  kernel: RunningPlatform;
  /** What a program of this platform is told. */
  environment: Readonly<Record<string, string>>;
  runs: RunningPlatform['runs'];
  db: RunningPlatform['database']['db'];
  tenant: TestDatabase['tenant'];
  url: string;
  /** A token of a user with such roles in one tenant; an admin unless given. */
  token(alias: string, ...roles: string[]): Promise<string>;
  /** Calls the API as a user with such roles in one tenant; an admin unless given. */
  as(alias: string, ...roles: string[]): Promise<Api>;
  /** Starts a worker process; it is killed with the test if it still runs. */
  startWorker(environment?: Record<string, string>): Promise<Worker>;
}

export interface Worker {
  pid: number;
  process: ChildProcess;
  /** The children that its state file names. */
  children(): Promise<{ name: string; pid: number; parent: number }[]>;
}

/** The whole platform but its worker: real database, real workflow engine, real HTTP. `more` are settings of the test; `adapt` changes the platform before it serves. */
export async function testPlatform(
  t: Test,
  more: (folder: string) => Promise<Record<string, string>> = async () => ({}),
  adapt: (platform: RunningPlatform) => void = () => {},
): Promise<TestPlatform> {
  // Loaded by need: a file on the shared platform has no use for it, and it takes a second to load.
  const { bootPlatform, startApi } = await import('@weir/kernel/boot');
  const { testDatabase, testIssuer } = await import('@weir/kernel/testing');
  const tools = await import('@weir/migrations');
  const { pino } = await import('pino');
  const folder = await mkdtemp(join(tmpdir(), 'weir-sources-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const issuer = await testIssuer(t);
  const database = await testDatabase(t, tools as unknown as Parameters<typeof testDatabase>[1]);
  const environment = { ...environmentOf(folder, database, issuer), ...(await more(folder)) };
  await mkdir(join(folder, 'warehouse'));
  const platform = await bootPlatform({
    platformFile: join(ROOT, 'platform.json'),
    environment,
    program: 'api',
    log: pino({ level: 'silent' }),
  });
  t.teardown(() => platform.stop());
  adapt(platform);
  const api = await startApi(platform);
  t.teardown(() => api.stop());
  const tenants = new Set<string>();
  const token = async (alias: string, ...given: string[]) => {
    const roles = given.length === 0 ? ['admin'] : given;
    if (!tenants.has(alias)) await database.tenant(alias);
    tenants.add(alias);
    return issuer.userToken({ subject: `${roles.join('+')}@${alias}`, organizations: [alias], roles });
  };
  return {
    folder,
    url: api.url,
    token,
    database,
    stateDir: join(folder, 'state'),
    kernel: platform,
    environment,
    runs: platform.runs,
    db: platform.database.db,
    tenant: (alias) => database.tenant(alias),
    async as(alias, ...roles) {
      const given = await token(alias, ...roles);
      return (endpoint, input = {}, headers = {}) =>
        call(endpoint, input, { url: api.url, token: given, tenant: alias, headers });
    },
    startWorker: (more = {}) => startWorker(t, { ...environment, ...more }, join(folder, 'state')),
  };
}

/** The settings of a platform of its own, over the servers of the tests. */
function environmentOf(folder: string, database: TestDatabase, issuer: { url: string }): Record<string, string> {
  const temporal = process.env.WEIR_TEST_TEMPORAL_ADDRESS;
  if (temporal === undefined) throw new Error('WEIR_TEST_TEMPORAL_ADDRESS is not set: run tests with npm test');
  const [host = '', port = ''] = temporal.split(':');
  return {
    DB_HOST: database.app.host,
    DB_PORT: String(database.app.port),
    DB_NAME: database.app.database,
    DB_USER: database.app.user,
    DB_PASSWORD: database.app.password,
    WORKFLOW_HOST: host,
    WORKFLOW_PORT: port,
    WORKFLOW_SOURCE_TASK_QUEUE: `source-${database.name}`,
    WORKFLOW_DISCOVERY_TASK_QUEUE: `discovery-${database.name}`,
    WORKFLOW_GENERAL_TASK_QUEUE: `general-${database.name}`,
    IDP_URL: issuer.url,
    IDP_ISSUER: issuer.url,
    WEIR_MODE: 'development',
    WEIR_HTTP_PORT: '0',
    WEIR_LOG_LEVEL: 'warn',
    WEIR_WAREHOUSE: join(folder, 'warehouse'),
    WEIR_WORK_DIR: join(folder, 'work'),
    WEIR_UPLOAD_DIR: join(folder, 'uploads'),
    WEIR_CACHE_DIR: WORKFLOW_CACHE,
    WEIR_STATE_DIR: join(folder, 'state'),
    WEIR_RUN_LOG_DIR: join(folder, 'run-logs'),
    WEIR_PLATFORM: join(ROOT, 'platform.json'),
  };
}

async function startWorker(t: Test, environment: Record<string, string>, stateDir: string): Promise<Worker> {
  const args = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [...args, join(ROOT, 'workers/src/main.ts'), '--roles', 'source,discovery'], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', process.env.WEIR_TEST_VERBOSE ? 'inherit' : 'ignore'],
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await new Promise<void>((done, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"ready":true')) done();
      else if (process.env.WEIR_TEST_VERBOSE) process.stderr.write(`${line}\n`);
    });
    child.once('exit', (code) => failed(new Error(`the worker ended with ${code} before it was ready`)));
  });
  const { pid = 0 } = child;
  return {
    pid,
    process: child,
    async children() {
      const text = await readFile(join(stateDir, `worker-${pid}.json`), 'utf8').catch(() => '{"children":[]}');
      return JSON.parse(text).children;
    },
  };
}

/** The body of a successful answer; the problem document as an error otherwise. */
export function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

/** Status and code of a refusal; the status alone of a success. */
export function refusal(result: { status: number; ok: boolean; problem?: { code: string } }): string {
  return result.ok ? `${result.status}` : `${result.status} ${result.problem?.code}`;
}

/** Creates a source of pattern `files` over a folder. */
export async function filesSource(api: Api, name: string, path: string, more: object = {}): Promise<SourceView> {
  const body = { name, pattern_id: 'files', source_config: { path, ...more } };
  return ok(await api(createSource, { body }));
}

/** Discovers a source and waits for the end. */
export async function discovered(api: Api, sourceId: string) {
  const { workflow_id } = ok(await api(startDiscovery, { body: { source_id: sourceId } }));
  return until('a discovery', async () => {
    const status = ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
    return status.is_terminal ? status : undefined;
  });
}

/** All streams of a source by name. */
export async function streamsOf(api: Api, sourceId: string): Promise<Map<string, StreamView>> {
  const { items } = ok(await api(listStreams, { params: { source_id: sourceId }, query: { limit: 500 } }));
  return new Map(items.map((stream) => [stream.name, stream]));
}

/** Enables every stream of a source. */
export async function enableAll(
  api: Api,
  sourceId: string,
  modes: Pick<Input<typeof updateStream>['body'], 'sync_mode' | 'write_mode' | 'primary_key'>,
): Promise<void> {
  for (const { stream_id } of (await streamsOf(api, sourceId)).values()) {
    ok(await api(updateStream, { params: { source_id: sourceId, stream_id }, body: { enabled: true, ...modes } }));
  }
}

/** Syncs a source and waits for the end. */
export async function synced(api: Api, sourceId: string): Promise<SyncRunDetailView> {
  const { run_id } = ok(await api(startSync, { params: { source_id: sourceId } }));
  return ended(api, sourceId, run_id);
}

/** Waits until a sync has ended. */
export function ended(api: Api, sourceId: string, runId: string): Promise<SyncRunDetailView> {
  return until('a sync', async () => {
    const { run } = ok(await api(getSyncStatus, { params: { source_id: sourceId }, query: { run_id: runId } }));
    return run?.is_terminal ? run : undefined;
  });
}
