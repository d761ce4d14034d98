import { call } from '@weir/kernel/contract';
import { createApiToken, createPolicy } from '@weir/plugin-identity/contract';
import { createSource, getCredentials, getVerification, putSchedule, verifySync } from '@weir/plugin-sources/contract';
import { createTransform } from '@weir/plugin-transforms/contract';
import { createWebhook, testWebhook } from '@weir/plugin-webhooks/contract';
import { VAULTED_CONFIG, vaultedValues } from '../../plugins/sources/test/vaulted-source.ts';
import { PEOPLE, seedReplay } from '../fuzz/seed.ts';
import { type Api, apiOf, type Caller } from '../fuzz/seed-sources.ts';
import { WEBHOOK_URL } from '../fuzz/seed-webhooks.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';
import type { MatrixPlatform } from './matrix-platform.ts';

/** Ids of one tenant's things, by the name that path parameters give them. */
export type Ids = Readonly<Record<string, string>>;

/** A tenant that is being furnished, and how an admin of it calls. */
interface Tenancy extends Caller {
  api: Api;
  /** Whether the platform keeps credentials in a secret store. */
  isVaulted: boolean;
}

/** What path parameters name that belongs to no tenant: every tenant has the same. */
const SHARED: Ids = {
  ...{ pattern_id: 'files', code: 'not_found', file: 'explorer.js', plugin_id: 'sources' },
  version: '1',
};

/** Parameters whose values say the same, or nothing, to every tenant: none of them can be another's. */
export const COMMON_WORDS: ReadonlySet<string> = new Set([...Object.keys(SHARED), 'alias']);

/** What each plugin gives a tenant that a path parameter asks for. Whoever adds a parameter adds it here. */
const FURNISHERS: Readonly<Record<string, (tenancy: Tenancy) => Promise<Ids>>> = {
  source_id: sources,
  api_token_id: tokens,
  policy_id: policies,
  credential_ref: credentials,
  webhook_id: webhooks,
  transform_id: transforms,
};

/** Parameters that mean another thing at some routes than everywhere else. */
const MEANT: readonly { at: RegExp; name: string; as: string }[] = [
  { at: /^GET .*\/discover\/status\/\{workflow_id\}/, name: 'workflow_id', as: 'discovery_id' },
  { at: /\/\{source_id\}\/credentials/, name: 'source_id', as: 'vaulted_id' },
];

/** Gives each tenant one of everything that a path can name, by a worker that is gone when this returns. */
export async function furnish({ world, routes, mount }: MatrixPlatform, aliases: readonly string[]): Promise<Ids[]> {
  const asked = new Set(routes.flatMap(({ names }) => names));
  const ends: (() => unknown)[] = [];
  const environment = { ...world.environment, ...mount?.environment('worker') };
  const worker = await startWorker({ teardown: (end) => void ends.push(end) }, environment);
  try {
    return await Promise.all(
      aliases.map(async (tenant) => {
        const caller = { url: world.api.url, token: await world.token(tenant), tenant };
        const tenancy = { ...caller, api: apiOf(caller), isVaulted: mount !== undefined };
        let ids: Ids = { ...SHARED, alias: tenant };
        for (const [name, give] of Object.entries(FURNISHERS))
          if (asked.has(name)) ids = { ...ids, ...(await give(tenancy)) };
        return ids;
      }),
    );
  } finally {
    await worker.end('SIGTERM');
    for (const end of ends) await end();
  }
}

/** The ids as a route means them. */
export function idsAt(label: string, ids: Ids): Ids {
  const meant = MEANT.filter(({ at, as }) => at.test(label) && ids[as] !== undefined);
  return { ...ids, ...Object.fromEntries(meant.map(({ name, as }) => [name, ids[as] ?? ''])) };
}

/** A well-formed id of something that does not exist. */
export function absentId(name: string, own: Ids): string {
  if (name === 'credential_ref') return `cred_${'a'.repeat(26)}`;
  if (name === 'workflow_id') return String(own.workflow_id).replace(/[^:]+$/, ABSENT);
  if (name === 'dataset_id' || name === 'table') return 'bronze.nowhere.shop__orders';
  return ABSENT;
}

const ABSENT = '018f4a6e-0000-7000-8000-00000000dead';

/** A source that was synced and verified, its table, and a replay of the line that it left in quarantine. */
async function sources({ api, ...caller }: Tenancy): Promise<Ids> {
  const { source_id, stream_ids, workflow_id: discovery_id, run, ...replay } = await seedReplay(api);
  const { run_id: sync_run_id, workflow_id } = run;
  const params = { sync_run_id };
  await api(putSchedule, { params: { source_id }, body: { cron: ['0 0 29 2 *'] } });
  await api(verifySync, { params });
  await until('a verification', async () => (await call(getVerification, { params }, caller)).ok);
  const [stream_id = ''] = stream_ids;
  const runs = { sync_run_id, run_id: sync_run_id, replay_run_id: replay.replay_run_id };
  return {
    source_id,
    stream_id,
    workflow_id,
    discovery_id,
    ...runs,
    id: sync_run_id,
    dataset_id: replay.rejecting,
    table: replay.rejecting,
  };
}

/** A token of the admin's, who by making it is a person that was seen. */
async function tokens({ api, tenant }: Tenancy): Promise<Ids> {
  const { api_token_id } = await api(createApiToken, { body: { name: 'ci', role: 'viewer' } });
  return { api_token_id, sub: `admin@${tenant}` };
}

/** A webhook that is sent nothing but a test, which nobody carries. */
async function webhooks({ api }: Tenancy): Promise<Ids> {
  const body = { name: 'chat', url: WEBHOOK_URL, events: ['run.recovered' as const] };
  const { webhook_id } = await api(createWebhook, { body });
  const { event_id } = await api(testWebhook, { params: { webhook_id } });
  return { webhook_id, event_id };
}

/** A transform that never runs. */
async function transforms({ api, tenant }: Tenancy): Promise<Ids> {
  const body = { name: 'shown', sql: 'select 1 as one', output: `gold.${tenant}.shown` };
  return { transform_id: (await api(createTransform, { body })).transform_id };
}

/** What a policy says that is never put in force. */
export const POLICY_DOCUMENT = { cedar: '@id("none") forbid (principal, action in Action::"users:read", resource);' };

async function policies({ api }: Tenancy): Promise<Ids> {
  const body = { name: 'draft', kind: 'access' as const, document: POLICY_DOCUMENT };
  return { policy_id: (await api(createPolicy, { body })).policy_id };
}

/** A second source; where there is a secret store, its credential lies there. */
async function credentials({ api, tenant, isVaulted }: Tenancy): Promise<Ids> {
  if (!isVaulted) {
    await api(createSource, { body: { name: 'second', pattern_id: 'files', source_config: { path: PEOPLE } } });
    return { credential_ref: `cred_${(tenant === 'acme' ? 'b' : 'c').repeat(26)}` };
  }
  const given = { credential_values: vaultedValues(tenant), credential_name: 'key' };
  const body = { name: 'vaulted', pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...given };
  const { source_id: vaulted_id } = await api(createSource, { body });
  const { credential_ref } = await api(getCredentials, { params: { source_id: vaulted_id } });
  return { vaulted_id, credential_ref };
}
