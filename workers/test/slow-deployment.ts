import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Tenant } from '@weir/kernel';
import { bootPlatform, type RunningPlatform } from '@weir/kernel/boot';
import { type Teardown, type TestDatabase, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import { WORKFLOW_CACHE } from '../../test/workflow-cache.ts';
import { NODE_ARGS } from './run-probe.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FIXTURE = join(import.meta.dirname, 'fixtures/slow-plugin');
const SUBJECT = '018f4a6e-0000-7000-8000-000000000009';

/** A worker program that polls. */
export interface SlowWorker {
  pid: number;
  /** Its exit code; null when a signal has ended it. */
  ended: Promise<number | null>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** A platform with one plugin whose runs last until they are let go, on the real engine. */
export interface SlowDeployment {
  platform: RunningPlatform;
  database: TestDatabase;
  tenant: Tenant;
  queue: string;
  /** Writes a run, whether somebody polls or not. */
  start(): Promise<{ run_id: string; workflow_id: string; warning: unknown }>;
  /** Starts the worker program, with more in its environment if asked, and waits until it polls. */
  worker(more?: Readonly<Record<string, string>>): Promise<SlowWorker>;
  /** What the worker program is started with. */
  environment: Readonly<Record<string, string>>;
  /** Lets runs go on to their ends. */
  enough(): Promise<void>;
}

/** Boots the deployment on a database and a queue of its own; everything ends with the test. */
export async function slowDeployment(t: Teardown): Promise<SlowDeployment> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-slow-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/@weir'), { recursive: true });
  await symlink(FIXTURE, join(folder, 'node_modules/slow-plugin'));
  await symlink(join(ROOT, 'migrations'), join(folder, 'node_modules/@weir/migrations'));
  const platformFile = join(folder, 'platform.json');
  await writeFile(platformFile, JSON.stringify({ plugins: ['slow-plugin'], migrations: '@weir/migrations' }));
  const database = await testDatabase(t, tools);
  const issuer = await testIssuer(t);
  const queue = `slow-${database.name}`;
  const [host = '', port = ''] = (process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '').split(':');
  const environment: Record<string, string> = {
    ...{ DB_HOST: database.app.host, DB_PORT: String(database.app.port), DB_NAME: database.app.database },
    ...{ DB_USER: database.app.user, DB_PASSWORD: database.app.password },
    ...{ WORKFLOW_HOST: host, WORKFLOW_PORT: port, WORKFLOW_SLOW_TASK_QUEUE: queue },
    ...{ IDP_URL: issuer.url, IDP_ISSUER: issuer.url, WEIR_MODE: 'development', WEIR_LOG_LEVEL: 'error' },
    ...{ WEIR_PLATFORM: platformFile, WEIR_WORK_DIR: folder, WEIR_CACHE_DIR: WORKFLOW_CACHE },
    WEIR_STATE_DIR: join(folder, 'state'),
  };
  const log = pino({ level: 'silent' });
  const platform = await bootPlatform({ platformFile, environment, program: 'test', log });
  t.teardown(() => platform.stop());
  const tenant = await database.tenant('acme');
  return {
    ...{ platform, database, tenant, queue, environment },
    async start() {
      const admitted = await platform.runs.admit('slow-work', { queue: true });
      const run = { kind: 'slow-work', subjectId: SUBJECT, requestedBy: 'ada', admitted };
      return platform.database.db(tenant).transaction((tx) => platform.runs.start(tx, run));
    },
    worker: (more = {}) => startWorker(t, { ...environment, ...more }),
    enough: () => writeFile(join(folder, 'enough'), ''),
  };
}

async function startWorker(t: Teardown, environment: Record<string, string>): Promise<SlowWorker> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [...NODE_ARGS, join(ROOT, 'workers/src/main.ts'), '--roles', 'slow'], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await ended;
  };
  t.teardown(() => end('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  await Promise.race([
    (async () => {
      for await (const line of lines) if (line.includes('"ready":true')) return;
    })(),
    ended.then((code) => Promise.reject(new Error(`the worker ended with ${code}`))),
  ]);
  child.stdout.resume();
  return { pid: child.pid ?? 0, ended, end };
}
