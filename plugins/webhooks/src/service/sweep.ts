import { type Kernel, type Repetition, repeat, type Tenant } from '@weir/kernel';
import type { WebhookSeals } from './seal.ts';
import type { Wake } from './wake.ts';

const EVERY_MS = 30_000;
/** An event that has been due for so long was not woken for. */
const OVERDUE_SECONDS = 15;
const KEPT_DAYS = 7;
const BATCH = 1_000;

export interface SweepDeps {
  kernel: Pick<Kernel, 'db' | 'tenants' | 'log'>;
  seals: WebhookSeals;
  wake: Wake;
}

/** Wakes the webhooks that an engine which was away did not, removes old deliveries, and seals with the present key. */
export function startSweep(deps: SweepDeps): Repetition {
  const { tenants, log } = deps.kernel;
  const work = async () => {
    for (const tenant of await tenants.list()) await sweepTenant(deps, tenant);
  };
  return repeat(EVERY_MS, work, (err) => log.warn({ err }, 'sweep of webhooks ended early; it is tried again'));
}

/** One round for one tenant. */
export async function sweepTenant({ kernel, seals, wake }: SweepDeps, tenant: Tenant): Promise<void> {
  const overdue = await kernel.db(tenant).transaction(async (tx) => {
    await tx.sql(
      `delete from webhooks.delivery where (webhook_id, event_id) in (
         select webhook_id, event_id from webhooks.delivery
         where status <> 'pending' and created_at < now() - make_interval(days => $1) limit $2)`,
      [KEPT_DAYS, BATCH],
    );
    const { rows: kept } = await tx.sql('select webhook_id, sealed from webhooks.webhook', []);
    for (const { webhook_id, sealed } of kept) {
      const next = seals.reseal(tenant.tenantId, String(webhook_id), String(sealed));
      const text = 'update webhooks.webhook set sealed = $3 where webhook_id = $1 and sealed = $2';
      if (next !== undefined) await tx.sql(text, [webhook_id, sealed, next]);
    }
    const { rows } = await tx.sql(
      `select webhook_id from webhooks.webhook w where status = 'active' and exists (
         select 1 from webhooks.delivery d where d.webhook_id = w.webhook_id and d.tenant_id = w.tenant_id
           and d.status = 'pending' and d.next_attempt_at < now() - make_interval(secs => $1))`,
      [OVERDUE_SECONDS],
    );
    return rows.map(({ webhook_id }) => String(webhook_id));
  });
  await wake(tenant, overdue);
}
