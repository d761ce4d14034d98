import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';
import type { Principal, Tenant } from '../tenancy/tenant.ts';

/** How long an answer is remembered under its key. */
const REMEMBERED_HOURS = 24;
/** After this long an unfinished request counts as lost with its process, and its key may be used again. */
const LOST_AFTER_SECONDS = 60;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** An answer as it is sent, and as an idempotency key remembers it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface IdempotentCall {
  key: string;
  endpoint: Endpoint;
  request: FastifyRequest;
}

/** Carries a POST out at most once per key, caller and tenant; a repeat gets the remembered answer. */
export interface IdempotencyStore {
  once(call: IdempotentCall, work: () => Promise<Answer>): Promise<Answer>;
}

/**
 * Remembers answers in `kernel.idempotency_key`. Only successes are remembered: a refused request changed nothing and
 * may be sent again under the same key. Another request under a used key is refused.
 */
export function idempotencyStore(db: (tenant: Tenant) => TenantDb): IdempotencyStore {
  return {
    async once({ key, endpoint, request }, work) {
      const { tenant, principal } = request.caller;
      if (tenant === undefined) return work();
      if (!KEY.test(key)) {
        const errors = [{ pointer: '/headers/idempotency-key', code: 'pattern' }];
        throw kernelProblems.validationFailed({ errors });
      }
      const caller = subjectOf(principal);
      const fingerprint = fingerprintOf(endpoint, request);
      const remembered = await db(tenant).transaction((tx) => reserve(tx, { caller, key, fingerprint }));
      if (remembered) return remembered;
      try {
        const answer = await work();
        await db(tenant).transaction((tx) => remember(tx, { caller, key, answer }));
        return answer;
      } catch (error) {
        await db(tenant).transaction((tx) => forget(tx, { caller, key }));
        throw error;
      }
    },
  };
}

function subjectOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? '' : `${principal.client}/${principal.subject}`;
}

function fingerprintOf(endpoint: Endpoint, request: FastifyRequest): string {
  return createHash('sha256')
    .update(`${endpoint.id}\n${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest('hex');
}

async function reserve(
  tx: TenantTransaction,
  { caller, key, fingerprint }: { caller: string; key: string; fingerprint: string },
): Promise<Answer | undefined> {
  await tx.sql(
    `delete from kernel.idempotency_key where tenant_id = $1 and caller = $2 and key = $3
       and (created_at < now() - make_interval(hours => $4)
         or (answer is null and created_at < now() - make_interval(secs => $5)))`,
    [tx.tenant.tenantId, caller, key, REMEMBERED_HOURS, LOST_AFTER_SECONDS],
  );
  const inserted = await tx.sql(
    `insert into kernel.idempotency_key (tenant_id, caller, key, fingerprint) values ($1, $2, $3, $4)
     on conflict do nothing returning key`,
    [tx.tenant.tenantId, caller, key, fingerprint],
  );
  if (inserted.rows.length === 1) return undefined;
  const { rows } = await tx.sql(
    'select fingerprint, answer from kernel.idempotency_key where tenant_id = $1 and caller = $2 and key = $3',
    [tx.tenant.tenantId, caller, key],
  );
  const found = rows[0];
  if (found?.fingerprint !== fingerprint || found.answer === null) {
    throw kernelProblems.idempotencyKeyReused({ retryAfterSeconds: 1 });
  }
  return found.answer as Answer;
}

async function remember(
  tx: TenantTransaction,
  { caller, key, answer }: { caller: string; key: string; answer: Answer },
): Promise<void> {
  await tx.sql(
    'update kernel.idempotency_key set answer = $4::jsonb where tenant_id = $1 and caller = $2 and key = $3',
    [tx.tenant.tenantId, caller, key, JSON.stringify(answer)],
  );
}

async function forget(tx: TenantTransaction, { caller, key }: { caller: string; key: string }): Promise<void> {
  await tx.sql(
    'delete from kernel.idempotency_key where tenant_id = $1 and caller = $2 and key = $3 and answer is null',
    [tx.tenant.tenantId, caller, key],
  );
}
