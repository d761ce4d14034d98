import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Teardown, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { type ApiProcess, apiProcess } from '../api-process.ts';
import { platformEnvironment } from '../platform.ts';
import { startWorker } from '../worker-process.ts';
import { heldFile } from './held-file.ts';
import { type FuzzOptions, runSchemathesis } from './run-schemathesis.ts';
import { type Seeds, seed } from './seed.ts';

const ROLES = ['admin', 'platform_admin'];
const STREAM = 'GET /api/v1/events';
const TENANTS = ['acme', 'other'] as const;

export interface FuzzReport {
  /** What Schemathesis said of each caller. */
  runs: { tenant: string; passed: boolean; said: string }[];
  /** Each operation of the document, `METHOD path`, with how often it was answered by which status while it ran. */
  operations: { name: string; statuses: Record<string, number> }[];
}

type Effort = Pick<FuzzOptions, 'examples' | 'phases' | 'seed' | 'maxSeconds'>;

/** Starts the platform with a worker, seeds two tenants, and lets Schemathesis loose on it as each of them, once an effort. */
export async function fuzzPlatform(t: Teardown, folder: string, efforts: readonly Effort[]): Promise<FuzzReport> {
  await mkdir(path.join(folder, 'warehouse'), { recursive: true });
  const [database, issuer] = [await testDatabase(t, tools), await testIssuer(t)];
  for (const alias of TENANTS) await database.tenant(alias);
  const files = [await heldFile(t), await heldFile(t)] as const;
  const environment = {
    ...platformEnvironment({ database, issuer, folder }),
    ...{ WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: files.map(({ port }) => port).join(',') },
  };
  await startWorker(t, environment);
  const api = await apiProcess(t, environment);
  const callers: { token: string; seeds: Seeds }[] = [];
  for (const [at, tenant] of TENANTS.entries()) {
    const token = await issuer.userToken({ subject: tenant, organizations: [tenant], roles: ROLES });
    callers.push({ token, seeds: await seed({ url: api.url, token, tenant }, files[at] ?? files[0]) });
  }
  const before = api.answers();
  const runs: FuzzReport['runs'] = [];
  for (const [at, { token, seeds }] of callers.entries()) {
    const caller = { token, seeds, foreign: callers[1 - at]?.seeds ?? seeds };
    for (const effort of efforts) {
      const run = await runSchemathesis({ url: api.url, caller, folder: path.join(folder, seeds.alias), ...effort });
      runs.push({ tenant: seeds.alias, ...run });
    }
  }
  const operations = await answered(api, before);
  const [first] = callers;
  for (const { name, statuses } of operations)
    if (name === STREAM && first !== undefined) statuses[await opened(api.url, first.token)] = 1;
  return { runs, operations };
}

/** The status of an answer that never ends, which no log line tells: it is read up to its head and left. */
async function opened(url: string, token: string): Promise<string> {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(new URL('/api/v1/events', url), { headers, signal: leave.signal });
  leave.abort();
  return String(answer.status);
}

async function answered(api: ApiProcess, before: ReadonlyMap<string, number>): Promise<FuzzReport['operations']> {
  const { paths } = (await (await fetch(new URL('/openapi.json', api.url))).json()) as {
    paths: Record<string, Record<string, object>>;
  };
  const names = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
  );
  const statuses = new Map<string, Record<string, number>>(names.map((name) => [name, {}]));
  for (const [answer, count] of api.answers()) {
    const [method, route = '', status = ''] = answer.split(' ');
    const found = statuses.get(`${method} ${route.replace(/:(\w+)/g, '{$1}')}`);
    const more = count - (before.get(answer) ?? 0);
    if (found !== undefined && more > 0) found[status] = more;
  }
  return [...statuses].map(([name, found]) => ({ name, statuses: found }));
}

/** Whether an operation was answered by a 2xx. */
export const succeeded = ({ statuses }: FuzzReport['operations'][number]): boolean =>
  Object.keys(statuses).some((status) => status.startsWith('2'));
