import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Teardown, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { VAULTED_PLATFORM } from '../access/matrix-platform.ts';
import { type ApiProcess, apiProcess } from '../api-process.ts';
import { furnishTenant, seedInline, seedTenant } from '../deployed-examples.ts';
import { apiOf, giveOptIn, type Ids } from '../examples.ts';
import { keyFile } from '../key-file.ts';
import { platformEnvironment } from '../platform.ts';
import { testMount } from '../secret-mount.ts';
import { startWorker } from '../worker-process.ts';
import { askSigned } from './ask-signed.ts';
import { fuzzConfiguration } from './configuration.ts';
import { heldFile } from './held-file.ts';
import { type FuzzOptions, runSchemathesis } from './run-schemathesis.ts';
import type { Seeds } from './seeds.ts';
import { type Document, withExamples } from './with-examples.ts';

/** Who fuzzes each tenant: whoever may everything, and the lower ranks. */
export const FUZZ_ROLES = ['admin', 'pipeline_editor', 'viewer'] as const;
type FuzzRole = (typeof FUZZ_ROLES)[number];
/** Files that sources may read. */
const DATA = fileURLToPath(new URL('../fixtures/shop', import.meta.url));
const STREAM = 'GET /api/v1/events';
/** The worker roles that carry out what a fuzzer starts. */
const ROLES = 'source,discovery,transform';
const TENANTS = ['acme', 'other'] as const;

export interface FuzzReport {
  /** What Schemathesis said of each caller. */
  runs: { caller: string; passed: boolean; said: string }[];
  /** Each operation of the document, `METHOD path`, with how often it was answered by which status while it ran. */
  operations: { name: string; statuses: Record<string, number> }[];
}

/** How hard to try, as whom, of which tenants: of both unless it is said. */
export interface Effort extends Pick<FuzzOptions, 'examples' | 'phases' | 'seed' | 'maxSeconds'> {
  roles: readonly FuzzRole[];
  tenants?: readonly (typeof TENANTS)[number][];
}

/** Where a fuzzed platform keeps credentials, and how hard it is tried. */
export interface FuzzPlan {
  mode: 'legacy_inline' | 'secret_store';
  efforts: readonly Effort[];
}

/** Starts the platform with a worker, seeds its tenants, and lets Schemathesis loose on it as their callers, once an effort and role. */
export async function fuzzPlatform(
  t: Teardown,
  folder: string,
  { mode, efforts }: FuzzPlan,
  say: (line: string) => void = () => undefined,
): Promise<FuzzReport> {
  await mkdir(path.join(folder, 'warehouse'), { recursive: true });
  const [database, issuer] = [await testDatabase(t, tools), await testIssuer(t)];
  const aliases = TENANTS.filter((alias) => efforts.some(({ tenants = TENANTS }) => tenants.includes(alias)));
  for (const alias of TENANTS) await database.tenant(alias);
  const files = [await heldFile(t), await heldFile(t)] as const;
  // Without them two routes answer that they are closed.
  const [PATTERN_WEBHOOK_SECRET, PATTERN_ADMIN_SECRET] = [
    randomBytes(32).toString('hex'),
    randomBytes(32).toString('hex'),
  ];
  const secrets = { PATTERN_WEBHOOK_SECRET, PATTERN_ADMIN_SECRET };
  const environment = {
    ...platformEnvironment({ database, issuer, folder }),
    ...secrets,
    ...{ WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: files.map(({ port }) => port).join(',') },
  };
  const tokenOf = (tenant: string, role: FuzzRole) => {
    const roles = role === 'admin' ? [role, 'platform_admin'] : [role];
    return issuer.userToken({ subject: `${role}@${tenant}`, organizations: [tenant], roles });
  };
  const { api, inlineIds } = await started(t, { environment, folder, mode, aliases, tokenOf });
  const seeds = await Promise.all(
    aliases.map(async (tenant, at): Promise<Seeds> => {
      const caller = { url: api.url, token: await tokenOf(tenant, 'admin'), tenant };
      const tenancy = { ...caller, api: apiOf(caller), isVaulted: mode === 'secret_store' };
      await giveOptIn(tenancy.api, tenant);
      const ids = { ...(await furnishTenant(tenancy)), ...inlineIds.get(tenant) };
      return { alias: tenant, ids, ...(await seedTenant({ ...tenancy, ids, held: files[at] ?? files[0] })) };
    }),
  );
  const before = api.answers();
  const runs: FuzzReport['runs'] = [];
  for (const [at, own] of seeds.entries())
    for (const { roles, tenants = TENANTS, ...effort } of efforts)
      for (const role of tenants.includes(own.alias as never) ? roles : []) {
        const caller = { token: await tokenOf(own.alias, role), seeds: own, foreign: seeds[1 - at] ?? own };
        const what = {
          configuration: fuzzConfiguration(caller),
          tried: (document: Document) => withExamples(document, own),
          data: DATA,
        };
        const run = await runSchemathesis({
          url: api.url,
          folder: path.join(folder, own.alias),
          ...what,
          ...effort,
          calling: say,
        });
        runs.push({ caller: `${role} of ${own.alias} in ${mode}`, ...run });
        say(`${role} of ${own.alias} in ${mode}: ${run.passed ? 'nothing found' : 'see below'}`);
      }
  const operations = await answered(api, before);
  const signed = await askSigned(api.url, secrets);
  for (const { name, statuses } of operations) {
    const status = signed.get(name);
    if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
    if (name === STREAM) statuses[await opened(api.url, await tokenOf('acme', 'admin'))] = 1;
  }
  return { runs, operations };
}

interface StartOptions extends Pick<FuzzPlan, 'mode'> {
  environment: Record<string, string>;
  folder: string;
  aliases: readonly string[];
  tokenOf(tenant: string, role: FuzzRole): Promise<string>;
}

/** Starts worker and API; `inlineIds` are of what each tenant got before there was a secret store. */
async function started(t: Teardown, { environment, folder, mode, aliases, tokenOf }: StartOptions) {
  const inlineIds = new Map<string, Ids>();
  if (mode === 'legacy_inline') {
    await startWorker(t, environment, ROLES);
    return { api: await apiProcess(t, environment), inlineIds };
  }
  const mount = await testMount(t);
  const vaulted = { ...environment, WEIR_PLATFORM: VAULTED_PLATFORM, WEIR_CREDENTIAL_KEY_FILE: keyFile(folder) };
  const inline = await apiProcess(t, vaulted);
  for (const tenant of aliases)
    inlineIds.set(tenant, await seedInline(apiOf({ url: inline.url, token: await tokenOf(tenant, 'admin'), tenant })));
  await inline.end();
  await startWorker(t, { ...vaulted, ...mount.environment('worker') }, ROLES);
  const api = await apiProcess(t, { ...vaulted, ...mount.environment('api') });
  return { api, inlineIds };
}

/** The status of an answer that never ends, which no log line tells: it is read up to its head and left. */
async function opened(url: string, token: string): Promise<string> {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(new URL('/api/v1/events', url), { headers, signal: leave.signal });
  leave.abort();
  return String(answer.status);
}

/** What every operation was answered since `before`. */
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
