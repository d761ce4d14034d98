import type { Egress } from '@weir/egress';
import { EgressError } from '@weir/egress';
import { type Kernel, type PageOrders, requireMatch, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import { v7 as uuidv7 } from 'uuid';
import {
  type changeWebhook,
  type createWebhook,
  type listWebhooks,
  type WebhookView,
  webhookProblems,
} from '../contract.ts';
import { WebhookEntity, type WebhookRow } from '../model/entities.ts';
import { RETRY_MS } from '../model/retry.ts';
import { newSecret } from '../model/signature.ts';
import type { WebhookSeals } from './seal.ts';
import type { Wake } from './wake.ts';

const ORDERS: PageOrders = { orders: { name: 'name', created_at: 'createdAt' }, first: 'name', id: 'webhookId' };
/** Webhooks of one tenant: each commit of a table looks at all of them. */
const MAX_WEBHOOKS = 50;

export interface WebhookDeps {
  kernel: Pick<Kernel, 'db'>;
  seals: WebhookSeals;
  wake: Wake;
  /** Throws an `EgressError` for an address that may not be reached. */
  check: Egress['check'];
}

/** The webhooks of tenants. */
export function webhookService({ kernel: { db }, seals, wake, check }: WebhookDeps) {
  const assertUrl = async (url: string): Promise<void> => {
    await check(url).catch((error: unknown) => {
      if (!(error instanceof EgressError)) throw error;
      throw webhookProblems.webhookUrlRefused({ members: { reason: error.code } });
    });
  };
  return {
    async create(tenant: Tenant, createdBy: string, { name, url, events }: Input<typeof createWebhook>['body']) {
      await assertUrl(url);
      const webhookId = uuidv7();
      const secret = newSecret();
      const sealed = seals.seal(tenant.tenantId, webhookId, { url, secret });
      const now = new Date();
      const row = { webhookId, name, host: new URL(url).host, sealed, events: [...events], createdBy };
      return db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(
          'select name = $1 as same from webhooks.webhook order by same desc limit $2 for update',
          [name, MAX_WEBHOOKS],
        );
        if (rows[0]?.same === true) throw webhookProblems.webhookNameTaken();
        if (rows.length >= MAX_WEBHOOKS) throw webhookProblems.webhookLimit();
        const made = await tx.insert(WebhookEntity, { ...row, createdAt: now, updatedAt: now });
        return { ...viewOf(made, 0), secret };
      });
    },

    list: (tenant: Tenant, query: Input<typeof listWebhooks>['query']): Promise<Output<typeof listWebhooks>> =>
      db(tenant).transaction(async (tx) => {
        const { status, ...request } = query ?? {};
        const page = await tx.page(WebhookEntity, status === undefined ? {} : { status }, request, ORDERS);
        const waiting = await pendingOf(tx, page.items);
        const items = page.items.map((row) => viewOf(row, waiting.get(row.webhookId) ?? 0));
        return { items, next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, webhookId: string): Promise<WebhookView> =>
      db(tenant).transaction(async (tx) => view(tx, await found(tx, webhookId))),

    async change(
      tenant: Tenant,
      webhookId: string,
      { body, ifMatch }: { body: Input<typeof changeWebhook>['body']; ifMatch: string | undefined },
    ) {
      const { name, url, events, status, new_secret = false } = body;
      if (url !== undefined) await assertUrl(url);
      return db(tenant).transaction(async (tx) => {
        const row = await found(tx, webhookId, { lock: true });
        requireMatch(ifMatch, String(row.version));
        if (name !== undefined && name !== row.name) await assertFree(tx, name);
        const secret = new_secret ? newSecret() : undefined;
        const resealed = url !== undefined || new_secret;
        const now = resealed ? seals.open(tenant.tenantId, webhookId, row.sealed) : undefined;
        const next = now && { url: url ?? now.url, secret: secret ?? now.secret };
        const resumed = status === 'active' && row.status === 'paused';
        const changed = await tx.update(row, {
          ...(name === undefined ? {} : { name }),
          ...(url === undefined ? {} : { host: new URL(url).host }),
          ...(next === undefined ? {} : { sealed: seals.seal(tenant.tenantId, webhookId, next) }),
          ...(events === undefined ? {} : { events: [...events] }),
          ...(status === undefined ? {} : { status }),
          ...(resumed || status === 'paused' ? { pauseCode: null, pauseDetail: null } : {}),
          ...{ version: row.version + 1, updatedAt: new Date() },
        });
        if (resumed) await resume(tx, webhookId, wake);
        return { ...(await view(tx, changed)), secret: secret ?? null };
      });
    },

    remove: (tenant: Tenant, webhookId: string): Promise<undefined> =>
      db(tenant).transaction(async (tx) => {
        await found(tx, webhookId, { lock: true });
        await tx.sql('delete from webhooks.webhook where webhook_id = $1', [webhookId]);
        return undefined;
      }),
  };
}

/** The webhook; `not_found` for absent and foreign ids alike. */
export async function found(
  tx: TenantTransaction,
  webhookId: string,
  options?: { lock: boolean },
): Promise<WebhookRow> {
  const row = await tx.findOne(WebhookEntity, { webhookId }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

async function assertFree(tx: TenantTransaction, name: string): Promise<void> {
  if ((await tx.findOne(WebhookEntity, { name })) !== undefined) throw webhookProblems.webhookNameTaken();
}

/** What waited for a paused webhook is sent now, and tried as long as a new event. */
async function resume(tx: TenantTransaction, webhookId: string, wake: Wake): Promise<void> {
  await tx.sql(
    `update webhooks.delivery set next_attempt_at = now(), retry_until = now() + make_interval(secs => $2)
     where webhook_id = $1 and status = 'pending'`,
    [webhookId, RETRY_MS / 1_000],
  );
  tx.afterCommit(() => wake(tx.tenant, [webhookId]));
}

async function pendingOf(tx: TenantTransaction, rows: readonly WebhookRow[]): Promise<Map<string, number>> {
  const { rows: counts } = await tx.sql(
    `select webhook_id, count(*)::int as pending from webhooks.delivery
     where webhook_id = any ($1::uuid[]) and status = 'pending' group by webhook_id`,
    [rows.map(({ webhookId }) => webhookId)],
  );
  return new Map(counts.map(({ webhook_id, pending }) => [String(webhook_id), Number(pending)]));
}

async function view(tx: TenantTransaction, row: WebhookRow): Promise<WebhookView> {
  return viewOf(row, (await pendingOf(tx, [row])).get(row.webhookId) ?? 0);
}

function viewOf(row: WebhookRow, pending: number): WebhookView {
  const { pauseCode: code, pauseDetail: detail } = row;
  return {
    ...{ webhook_id: row.webhookId, name: row.name, host: row.host, events: row.events as WebhookView['events'] },
    ...{ status: row.status, pause: code && detail ? { code, detail } : null, pending, created_by: row.createdBy },
    ...{ created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString(), etag: String(row.version) },
  };
}
