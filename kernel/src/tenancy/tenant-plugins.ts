import type { Tenant } from '../contract/caller.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';

const CACHE_MS = 5_000;
const MAX_CACHED = 10_000;

/** What a tenant has been given, and by whom. */
export interface TenantPluginState {
  enabled: boolean;
  changedBy: string;
  changedAt: Date;
}

/** A tenant, or its transaction at hand: that one reads what the database has now, on no further connection. */
export type TenantPlace = Tenant | Pick<TenantTransaction, 'tenant' | 'sql'>;

/** Which opt-in plugins each tenant has; plugins whose tenancy is `always` are on for everybody. */
export interface TenantPlugins {
  /** May be five seconds old, except in the process that made the change. */
  isEnabled(at: TenantPlace | undefined, pluginId: string): Promise<boolean>;
  /** As the database has it now: for delayed work, which must stop when the plugin was switched off meanwhile. */
  isEnabledNow(tenant: Tenant, pluginId: string): Promise<boolean>;
  /** The choices made for a tenant, by plugin id. */
  states(tenant: Tenant): Promise<Map<string, TenantPluginState>>;
  set(tenant: Tenant, pluginId: string, choice: { enabled: boolean; changedBy: string }): Promise<void>;
}

export interface TenantPluginDeps {
  db(tenant: Tenant): TenantDb;
  /** Ids of the plugins whose tenancy is `opt-in`. */
  optIn: ReadonlySet<string>;
  now?: () => number;
}

/** The choices as `kernel.tenant_plugin` holds them. */
export function tenantPlugins({ db, optIn, now = Date.now }: TenantPluginDeps): TenantPlugins {
  const cache = new Map<string, { at: number; states: Map<string, TenantPluginState> }>();
  const readIn = async ({ tenant, sql }: Pick<TenantTransaction, 'tenant' | 'sql'>) => {
    const { rows } = await sql('select plugin_id, enabled, changed_by, changed_at from kernel.tenant_plugin', []);
    const states = new Map(
      rows.map((row) => [
        String(row.plugin_id),
        {
          enabled: row.enabled === true,
          changedBy: String(row.changed_by),
          changedAt: new Date(String(row.changed_at)),
        },
      ]),
    );
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(tenant.tenantId, { at: now(), states });
    return states;
  };
  const read = (tenant: Tenant) => db(tenant).transaction(readIn);
  const remembered = (tenant: Tenant) => {
    const hit = cache.get(tenant.tenantId);
    return hit && now() - hit.at < CACHE_MS ? hit.states : read(tenant);
  };
  return {
    async isEnabled(at, id) {
      if (at === undefined || !optIn.has(id)) return !optIn.has(id);
      return (await ('sql' in at ? readIn(at) : remembered(at))).get(id)?.enabled === true;
    },
    isEnabledNow: async (tenant, id) => !optIn.has(id) || (await read(tenant)).get(id)?.enabled === true,
    states: read,
    async set(tenant, pluginId, { enabled, changedBy }) {
      if (!optIn.has(pluginId)) throw kernelProblems.notFound();
      await db(tenant).transaction((tx) =>
        tx.sql(
          `insert into kernel.tenant_plugin (tenant_id, plugin_id, enabled, changed_by) values ($1, $2, $3, $4)
           on conflict (tenant_id, plugin_id) do update
             set enabled = excluded.enabled, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
          [tenant.tenantId, pluginId, enabled, changedBy],
        ),
      );
      cache.delete(tenant.tenantId);
    },
  };
}
