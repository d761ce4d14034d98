import type { Logger } from 'pino';
import type { Tenant } from '../contract/caller.ts';
import type { TenantDb } from '../persistence/tenant-db.ts';
import { type Repetition, repeat } from '../repeat.ts';
import type { Tenants } from '../tenancy/tenants.ts';
import { REMEMBERED_HOURS } from './idempotency.ts';

const SWEEP_EVERY_MS = 5 * 60_000;
const BATCH = 1_000;
/** Batches of one tenant in one round; the rest waits for the next. */
const MAX_BATCHES = 100;

export interface SweepDeps {
  db(tenant: Tenant): TenantDb;
  tenants: Pick<Tenants, 'list'>;
}

/** Deletes expired idempotency keys until it is stopped. */
export function startIdempotencySweep(deps: SweepDeps, log: Logger): Repetition {
  return repeat(
    SWEEP_EVERY_MS,
    () => sweepIdempotencyKeys(deps),
    (err) => log.warn({ err }, 'sweep of idempotency keys failed; the next round retries'),
  );
}

/** One round over all tenants, each batch in its own transaction. */
export async function sweepIdempotencyKeys({ db, tenants }: SweepDeps): Promise<void> {
  for (const tenant of await tenants.list()) {
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
  }
}
