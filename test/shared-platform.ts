import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bootPlatform, type RunningPlatform, startApi } from '@weir/kernel/boot';
import { type Teardown, type TestDatabase, type TestIssuer, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import { keyFile } from './key-file.ts';
import { platformEnvironment } from './platform.ts';
import type { SharedPlatformPlaces } from './shared-platform-places.ts';
import { startWorker } from './worker-process.ts';

// The program that boots the one platform which test files share, each with tenants of its own: an API, a worker, and a
// second API whose queues have no worker. It prints one JSON line with its places, and ends with SIGTERM or its parent.

/** The patterns of the product and those of tests. */
const MANIFEST = fileURLToPath(new URL('../plugins/sources/test/fixtures/platform-shared.json', import.meta.url));
/** What the tests of many files need of one worker; a file that needs another setting starts a worker of its own. */
const SETTINGS = {
  WEIR_EGRESS_ALLOW: '127.0.0.0/8',
  WEIR_SYNC_MAX_REJECTED_ROWS: '2',
  WEIR_SYNC_LANES_PER_TENANT: '1',
  WEIR_SCHEDULE_MIN_SECONDS: '1',
  WEIR_RUN_LOG_MAX_LINES: '1000',
};
/** Below the ports that systems give out and that servers of tests take, so that a free one stays free. */
const [FIRST_PORT, PORT_RANGE, PORTS] = [11_000, 8_900, 16];

const works: (() => unknown)[] = [];
const t: Teardown = { teardown: (work) => void works.unshift(work) };

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-shared-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'warehouse'));
  const [database, issuer] = [await testDatabase(t, tools), await testIssuer(t)];
  const ports = somePorts();
  const environment = {
    ...platformEnvironment({ database, issuer, folder }),
    ...{ ...SETTINGS, WEIR_EGRESS_PORTS: ports.join() },
    ...{ WEIR_PLATFORM: MANIFEST, WEIR_LOG_LEVEL: 'warn', WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) },
  };
  const idle = {
    WEIR_SCHEDULE_MIN_SECONDS: '60',
    WORKFLOW_SOURCE_TASK_QUEUE: `idle-source-${database.name}`,
    WORKFLOW_DISCOVERY_TASK_QUEUE: `idle-discovery-${database.name}`,
    WORKFLOW_GENERAL_TASK_QUEUE: `idle-general-${database.name}`,
  };
  const worker = startWorker(t, environment, 'source,discovery,general');
  const places: SharedPlatformPlaces = {
    url: await startedApi(environment),
    idleUrl: await startedApi({ ...environment, ...idle }, withoutDuties),
    controlUrl: await startControl(database, issuer),
    databaseUrl: database.superuserUrl,
    environment,
    ports,
  };
  const { end } = await worker;
  t.teardown(() => end('SIGTERM'));
  process.stdout.write(`${JSON.stringify(places)}\n`);
}

async function startedApi(
  environment: Record<string, string>,
  adapt: (platform: RunningPlatform) => void = () => {},
): Promise<string> {
  const log = pino({ level: 'silent' });
  const platform = await bootPlatform({ platformFile: MANIFEST, environment, program: 'api', log });
  t.teardown(() => platform.stop());
  adapt(platform);
  const api = await startApi(platform);
  t.teardown(() => api.stop());
  return api.url;
}

/** The idle API has no duties: it would move the schedules of all tenants to its own queues, which have no worker. */
function withoutDuties(platform: RunningPlatform): void {
  Object.assign(platform, { duties: [] });
}

/** Makes tenants and signs tokens for test files: `POST /tenant {alias}`, `POST /token {subject, organizations, roles}`. */
async function startControl(database: TestDatabase, issuer: TestIssuer): Promise<string> {
  const server = createServer(async (request, answer) => {
    const body = (await json(request)) as { alias: string } & Parameters<TestIssuer['userToken']>[0];
    const made = request.url === '/tenant' ? await database.tenant(body.alias) : await issuer.userToken(body);
    answer.end(JSON.stringify(made));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ports that connectors may reach; a test file listens on one that is free. */
function somePorts(): number[] {
  const first = FIRST_PORT + Math.floor(Math.random() * PORT_RANGE);
  return Array.from({ length: PORTS }, (_, at) => first + at);
}

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  for (const work of works) await work();
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => void end());
main().catch(async (error: unknown) => {
  process.stderr.write(`the shared platform of the tests does not start: ${(error as Error).stack}\n`);
  process.exitCode = 1;
  await end();
});
