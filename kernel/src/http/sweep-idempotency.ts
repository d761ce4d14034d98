import type { Tenant } from '../contract/caller.ts';
import { type Duty, duty } from '../duties/duty.ts';
import type { TenantDb } from '../persistence/tenant-db.ts';
import { REMEMBERED_HOURS } from './idempotency.ts';

const BATCH = 1_000;
/** Batches of one tenant in one round; the rest waits for the next. */
const MAX_BATCHES = 100;

/** Deletes expired idempotency keys, each batch in its own transaction. */
export const idempotencySweep = (db: (tenant: Tenant) => TenantDb): Duty =>
  duty({
    name: 'kernel.idempotency_keys',
    everyMs: 5 * 60_000,
    where: 'api',
    async perTenant(tenant) {
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const { rowCount } = await db(tenant).transaction((tx) =>
          tx.sql(
            `delete from kernel.idempotency_key where tenant_id = $1 and (caller, key) in (
               select caller, key from kernel.idempotency_key
               where tenant_id = $1 and created_at < now() - make_interval(hours => $2)
               order by created_at limit $3 for update skip locked)`,
            [tenant.tenantId, REMEMBERED_HOURS, BATCH],
          ),
        );
        if (rowCount < BATCH) break;
      }
    },
  });
