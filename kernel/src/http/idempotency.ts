import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Principal, Tenant } from '../contract/caller.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { TenantDb, TenantTransaction } from '../persistence/tenant-db.ts';

/** How long an answer is remembered under its key. */
export const REMEMBERED_HOURS = 24;
/** Keys of one caller that are remembered at a time. */
const MAX_KEYS = 10_000;
const RETRY_AT_LIMIT_SECONDS = 600;
/** After this long an unfinished request counts as lost with its process, and its key may be used again. */
const LOST_AFTER_SECONDS = 60;
/** Header of an answer that is not the first to its key. */
export const REPEATED = 'idempotency-replayed';
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
 * may be sent again under the same key. Another request under a used key is refused. Bodies hold credentials, so
 * fingerprints are keyed with `secret`, and bound to their place.
 */
export function idempotencyStore(db: (tenant: Tenant) => TenantDb, secret: Buffer): IdempotencyStore {
  return {
    async once({ key, endpoint, request: { caller, url, body } }, work) {
      const { tenant, principal } = caller;
      if (tenant === undefined) return work();
      if (!KEY.test(key)) {
        const errors = [{ pointer: '/headers/idempotency-key', code: 'pattern' }];
        throw kernelProblems.validationFailed({ errors });
      }
      const place = [tenant.tenantId, subjectOf(principal), key];
      const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => db(tenant).transaction(work);
      const request = [...place, endpoint.id, url, body ?? null];
      const fingerprint = createHmac('sha256', secret).update(JSON.stringify(request)).digest('hex');
      const remembered = await inTenant((tx) => reserve(tx, place, fingerprint));
      if (remembered) return { ...remembered, headers: { ...remembered.headers, [REPEATED]: 'true' } };
      try {
        const answer = await work();
        await inTenant((tx) =>
          tx.sql(`update ${TABLE} set answer = $4::jsonb ${AT_PLACE}`, [
            ...place,
            JSON.stringify(kept(answer, endpoint)),
          ]),
        );
        return answer;
      } catch (error) {
        await inTenant((tx) => tx.sql(`delete from ${TABLE} ${AT_PLACE} and answer is null`, place));
        throw error;
      }
    },
  };
}

const TABLE = 'kernel.idempotency_key';
const AT_PLACE = 'where tenant_id = $1 and caller = $2 and key = $3';

/** What may be remembered of an answer: nothing that is shown once. */
function kept(answer: Answer, { shownOnce = [] }: Endpoint): Answer {
  const hidden = Object.fromEntries(shownOnce.map((member) => [member, null]));
  return shownOnce.length === 0 ? answer : { ...answer, body: { ...(answer.body as object), ...hidden } };
}

function subjectOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? '' : `${principal.client}/${principal.subject}`;
}

/** Takes the key for this request, or answers what it is remembered with; `place` is tenant, caller and key. */
async function reserve(tx: TenantTransaction, place: string[], fingerprint: string): Promise<Answer | undefined> {
  await tx.sql(
    `delete from ${TABLE} ${AT_PLACE} and (created_at < now() - make_interval(hours => $4)
       or (answer is null and created_at < now() - make_interval(secs => $5)))`,
    [...place, REMEMBERED_HOURS, LOST_AFTER_SECONDS],
  );
  const inserted = await tx.sql(
    `insert into ${TABLE} (tenant_id, caller, key, fingerprint) values ($1, $2, $3, $4)
     on conflict do nothing returning key`,
    [...place, fingerprint],
  );
  if (inserted.rows.length === 1) {
    const { rows } = await tx.sql(
      `select from ${TABLE} where tenant_id = $1 and caller = $2
         and created_at >= now() - make_interval(hours => $3) offset $4 limit 1`,
      [...place.slice(0, 2), REMEMBERED_HOURS, MAX_KEYS],
    );
    if (rows.length === 0) return undefined;
    throw kernelProblems.idempotencyKeysExhausted({ retryAfterSeconds: RETRY_AT_LIMIT_SECONDS });
  }
  const { rows } = await tx.sql(`select fingerprint, answer from ${TABLE} ${AT_PLACE}`, place);
  const found = rows[0];
  if (found?.fingerprint !== fingerprint || found.answer === null) {
    throw kernelProblems.idempotencyKeyReused({ retryAfterSeconds: 1 });
  }
  return found.answer as Answer;
}
