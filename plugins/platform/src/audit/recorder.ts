import { randomUUID } from 'node:crypto';
import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import type { AuditTrail } from '@weir/kernel/contract';
import { type AuditEntry, auditEntry, type BegunCall, begunCall } from './audit-event.ts';
import { append, PLATFORM_CHAIN } from './chain.ts';
import { type RepeatedDenials, repeatedDenials } from './repeated-denials.ts';

/** A call this old whose end was not noted has lost its process: no request is worked on for as long. */
const LOST_AFTER_SECONDS = 300;
const BATCH = 100;
/** Each of these is a guess of a credential or a right, and an event of its own; the number of them has a rate. */
const OWN_EVENT: readonly number[] = [401, 403];

type Deps = Pick<Kernel, 'db'>;

/**
 * The trail in Postgres. What begins is written down as an intent of its own; the transaction that appends the event
 * deletes it, so that each intent becomes one event, whoever ends it.
 */
export function auditRecorder({ db }: Deps, now: () => number = Date.now): AuditTrail & Pick<RepeatedDenials, 'flush'> {
  const noted = (tenant: Tenant, entry: AuditEntry) => db(tenant).transaction((tx) => append(tx, entry));
  const repeated = repeatedDenials(noted, now);
  return {
    flush: repeated.flush,
    async begin(call) {
      const tenant = call.tenant ?? PLATFORM_CHAIN;
      const intentId = randomUUID();
      const begun = begunCall(call, new Date());
      const intent = [tenant.tenantId, intentId, JSON.stringify(begun)];
      await db(tenant).transaction((tx) => tx.sql(NOTE, intent));
      return async (outcome) => {
        await end({ db }, { tenant, intentId, entry: auditEntry(begun, outcome) });
      };
    },
    async denied(call, outcome) {
      if (!OWN_EVENT.includes(outcome.status)) await repeated.denied(call, outcome);
      else await noted(call.tenant ?? PLATFORM_CHAIN, auditEntry(begunCall(call, new Date()), outcome));
    },
  };
}

/** Ends the intents whose process was lost, of every tenant and of the platform. */
export const intentSweep = (kernel: Deps): Duty =>
  duty({
    name: 'platform.audit_intents',
    everyMs: 60_000,
    where: 'api',
    tenants: async (all) => [PLATFORM_CHAIN, ...(await all())],
    perTenant: (tenant) => sweepIntents(kernel, tenant),
  });

/** Ends the lost intents of one chain as unknown; returns how many. */
export async function sweepIntents(
  { db }: Deps,
  tenant: Tenant,
  olderThanSeconds = LOST_AFTER_SECONDS,
): Promise<number> {
  let ended = 0;
  for (let found = BATCH; found === BATCH; ) {
    const old = [tenant.tenantId, olderThanSeconds, BATCH];
    const { rows } = await db(tenant).transaction((tx) => tx.sql(LOST, old));
    for (const { intent_id, call } of rows) {
      const entry = auditEntry(call as BegunCall, undefined);
      if (await end({ db }, { tenant, intentId: String(intent_id), entry })) ended += 1;
    }
    found = rows.length;
  }
  return ended;
}

interface Ending {
  tenant: Tenant;
  intentId: string;
  entry: ReturnType<typeof auditEntry>;
}

/** False when another has ended it: the row of the intent goes to one transaction only. */
function end({ db }: Deps, { tenant, intentId, entry }: Ending): Promise<boolean> {
  return db(tenant).transaction(async (tx) => {
    const { rowCount } = await tx.sql(TAKE, [tenant.tenantId, intentId]);
    if (rowCount === 1) await append(tx, entry);
    return rowCount === 1;
  });
}

const NOTE = 'insert into platform.audit_intent (tenant_id, intent_id, call) values ($1, $2, $3::jsonb)';
const TAKE = 'delete from platform.audit_intent where tenant_id = $1 and intent_id = $2';
const LOST = `
select intent_id, call from platform.audit_intent
where tenant_id = $1 and begun_at < now() - make_interval(secs => $2) order by begun_at limit $3`;
