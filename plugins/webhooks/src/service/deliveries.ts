import type { Kernel, PageOrders, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import { type DeliveryView, type listDeliveries, webhookProblems } from '../contract.ts';
import { DeliveryEntity, type DeliveryRow } from '../model/entities.ts';
import { RETRY_MS } from '../model/retry.ts';
import type { WebhookOutbox } from './outbox.ts';
import type { Wake } from './wake.ts';
import { found } from './webhooks.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'eventId' };

export interface DeliveryDeps {
  kernel: Pick<Kernel, 'db'>;
  outbox: WebhookOutbox;
  wake: Wake;
}

/** One event at one webhook. */
export interface DeliveryKey {
  webhook_id: string;
  event_id: string;
}

/** What was sent to webhooks, what waits, and what is to be sent once more. */
export function deliveryService({ kernel: { db }, outbox, wake }: DeliveryDeps) {
  return {
    list: (
      tenant: Tenant,
      webhookId: string,
      query: Input<typeof listDeliveries>['query'],
    ): Promise<Output<typeof listDeliveries>> =>
      db(tenant).transaction(async (tx) => {
        await found(tx, webhookId);
        const { status, ...request } = query ?? {};
        const where = { webhookId, ...(status === undefined ? {} : { status }) };
        const page = await tx.page(DeliveryEntity, where, request, ORDERS);
        return { items: page.items.map(viewOf), next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, key: DeliveryKey): Promise<DeliveryView> =>
      db(tenant).transaction(async (tx) => viewOf(await delivery(tx, key))),

    test: (tenant: Tenant, webhookId: string): Promise<DeliveryView> =>
      db(tenant).transaction(async (tx) => {
        await assertActive(tx, webhookId);
        const event_id = await outbox.test(tx, webhookId);
        return viewOf(await delivery(tx, { webhook_id: webhookId, event_id }));
      }),

    redeliver: (tenant: Tenant, key: DeliveryKey): Promise<DeliveryView> =>
      db(tenant).transaction(async (tx) => {
        await assertActive(tx, key.webhook_id);
        const row = await delivery(tx, key, { lock: true });
        if (row.status === 'pending') throw webhookProblems.deliveryPending();
        const now = new Date();
        const retryUntil = new Date(now.getTime() + RETRY_MS);
        const again = await tx.update(row, { status: 'pending', nextAttemptAt: now, retryUntil, deliveredAt: null });
        tx.afterCommit(() => wake(tenant, [key.webhook_id]));
        return viewOf(again);
      }),
  };
}

async function assertActive(tx: TenantTransaction, webhookId: string): Promise<void> {
  if ((await found(tx, webhookId)).status === 'paused') throw webhookProblems.webhookPaused();
}

async function delivery(
  tx: TenantTransaction,
  { webhook_id: webhookId, event_id: eventId }: DeliveryKey,
  options?: { lock: boolean },
): Promise<DeliveryRow> {
  const row = await tx.findOne(DeliveryEntity, { webhookId, eventId }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

function viewOf(row: DeliveryRow): DeliveryView {
  return {
    ...{ event_id: row.eventId, event: row.event as DeliveryView['event'], subject: row.subject, status: row.status },
    ...{ attempts: row.attempts, response_status: row.responseStatus ?? null, failure_code: row.failureCode ?? null },
    next_attempt_at: row.status === 'pending' ? row.nextAttemptAt.toISOString() : null,
    retry_until: row.retryUntil.toISOString(),
    created_at: row.createdAt.toISOString(),
    delivered_at: row.deliveredAt?.toISOString() ?? null,
  };
}
