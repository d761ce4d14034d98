import type { Tenant } from '../contract/caller.ts';
import type { PlatformSql } from '../persistence/run-sql.ts';
import type { Tenants } from './tenants.ts';

const CACHE_MS = 5_000;
const MAX_CACHED = 10_000;

/** Tenants as the shared table holds them; a change is seen within five seconds. Disabled ones do not exist. */
export function tenantStore(sql: PlatformSql, now: () => number = Date.now): Tenants {
  const cache = new Map<string, { at: number; tenant: Tenant | undefined }>();
  const read = async (column: 'alias' | 'tenant_id', value: string): Promise<Tenant | undefined> => {
    const key = `${column}:${value}`;
    const hit = cache.get(key);
    if (hit && now() - hit.at < CACHE_MS) return hit.tenant;
    const { rows } = await sql(
      `select tenant_id, alias, scope from kernel.tenant where ${column}::text = $1 and disabled_at is null`,
      [value],
    );
    const tenant = rows[0] === undefined ? undefined : toTenant(rows[0]);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, { at: now(), tenant });
    return tenant;
  };
  return {
    byAlias: (alias) => read('alias', alias),
    byId: (tenantId) => read('tenant_id', tenantId),
    async list() {
      const { rows } = await sql(
        'select tenant_id, alias, scope from kernel.tenant where disabled_at is null order by tenant_id',
        [],
      );
      return rows.map(toTenant);
    },
  };
}

function toTenant(row: Record<string, unknown>): Tenant {
  return Object.freeze({ tenantId: String(row.tenant_id), alias: String(row.alias), scope: String(row.scope) });
}
