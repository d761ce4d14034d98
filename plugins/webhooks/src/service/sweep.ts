import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import type { WebhookSeals } from './seal.ts';
import type { Wake } from './wake.ts';

/** An event that has been due for so long was not woken for. */
const OVERDUE_SECONDS = 15;
const KEPT_DAYS = 7;
const BATCH = 1_000;

export interface SweepDeps {
  kernel: Pick<Kernel, 'db'>;
  seals: WebhookSeals;
  wake: Wake;
}

/** Wakes the webhooks that an engine which was away did not, removes old deliveries, and seals with the present key. */
export const webhookSweep = (deps: SweepDeps): Duty =>
  duty({
    name: 'webhooks.deliveries',
    everyMs: 30_000,
    where: 'api',
    perTenant: (tenant) => sweepTenant(deps, tenant),
  });

/** One round for one tenant. A seal that does not open comes last, so that the other webhooks are woken. */
export async function sweepTenant({ kernel, seals, wake }: SweepDeps, tenant: Tenant): Promise<void> {
  const overdue = await kernel.db(tenant).transaction(async (tx) => {
    await tx.sql(
      `delete from webhooks.delivery where (webhook_id, event_id) in (
         select webhook_id, event_id from webhooks.delivery
         where status <> 'pending' and created_at < now() - make_interval(days => $1) limit $2)`,
      [KEPT_DAYS, BATCH],
    );
    const { rows } = await tx.sql(
      `select webhook_id from webhooks.webhook w where status = 'active' and exists (
         select 1 from webhooks.delivery d where d.webhook_id = w.webhook_id and d.tenant_id = w.tenant_id
           and d.status = 'pending' and d.next_attempt_at < now() - make_interval(secs => $1))`,
      [OVERDUE_SECONDS],
    );
    return rows.map(({ webhook_id }) => String(webhook_id));
  });
  await wake(tenant, overdue);
  await resealAll({ kernel, seals }, tenant);
}

/** Seals what an earlier key has sealed. Throws what the first of those says that do not open, after all others. */
async function resealAll({ kernel, seals }: Pick<SweepDeps, 'kernel' | 'seals'>, tenant: Tenant): Promise<void> {
  const failures: unknown[] = [];
  await kernel.db(tenant).transaction(async (tx) => {
    const { rows: kept } = await tx.sql('select webhook_id, sealed from webhooks.webhook', []);
    for (const { webhook_id, sealed } of kept) {
      try {
        const next = seals.reseal(tenant.tenantId, String(webhook_id), String(sealed));
        const text = 'update webhooks.webhook set sealed = $3 where webhook_id = $1 and sealed = $2';
        if (next !== undefined) await tx.sql(text, [webhook_id, sealed, next]);
      } catch (error) {
        failures.push(error);
      }
    }
  });
  if (failures.length > 0) throw failures[0];
}
