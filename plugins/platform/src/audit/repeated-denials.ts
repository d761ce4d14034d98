import type { Tenant } from '@weir/kernel';
import type { AuditedCall, CallOutcome } from '@weir/kernel/contract';
import { type AuditEntry, type BegunCall, begunCall, denialEntry } from './audit-event.ts';
import { PLATFORM_CHAIN } from './chain.ts';

const PERIOD_MS = 60_000;
/** Callers and routes that are counted at once; beyond, the one that has been counted longest is told early. */
const MAX_COUNTED = 10_000;

/** Tells of denials that may come by the thousand. */
export interface RepeatedDenials {
  /** Notes one. */
  denied(call: AuditedCall, outcome: CallOutcome): Promise<void>;
  /** Reports those that were counted for a minute, or all. Throws the first failure after the last; those stay counted. */
  flush(all?: boolean): Promise<void>;
}

interface Counted {
  since: number;
  /** Since the first one, which was told at once. */
  more: number;
  tenant: Tenant;
  call: BegunCall;
  outcome: CallOutcome;
}

/**
 * The first denial of a caller at a route by one code is an event at once. Those that follow within a minute are counted,
 * and are one event together at its end, so that a flood is two events a minute and none of it is left out. A process that
 * is killed loses the count of its last minute.
 */
export function repeatedDenials(
  append: (tenant: Tenant, entry: AuditEntry) => Promise<void>,
  now: () => number = Date.now,
): RepeatedDenials {
  const counted = new Map<string, Counted>();
  const tell = async (key: string, one: Counted) => {
    const { more, tenant, call, outcome } = one;
    counted.delete(key);
    try {
      if (more > 0) await append(tenant, denialEntry(call, outcome, more));
    } catch (error) {
      keepCounted(counted, key, one);
      throw error;
    }
  };
  return {
    async denied(audited, outcome) {
      const call = begunCall(audited, new Date(now()));
      const tenant = audited.tenant ?? PLATFORM_CHAIN;
      const key = [tenant.tenantId, call.kind, call.client, call.subject, call.action, outcome.code].join('\0');
      const before = counted.get(key);
      if (before !== undefined && now() - before.since < PERIOD_MS) {
        counted.set(key, { ...before, more: before.more + 1, call, outcome });
        return;
      }
      counted.delete(key);
      counted.set(key, { since: now(), more: 0, tenant, call, outcome });
      const [oldest] = counted.size > MAX_COUNTED ? counted : [];
      if (oldest !== undefined) await tell(...oldest);
      if (before !== undefined && before.more > 0)
        await append(tenant, denialEntry(before.call, before.outcome, before.more));
      await append(tenant, denialEntry(call, outcome));
    },
    async flush(all = false) {
      const failures: unknown[] = [];
      for (const [key, one] of [...counted]) {
        if (all || now() - one.since >= PERIOD_MS) await tell(key, one).catch((error) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Counts what could not be reported together with what came meanwhile. */
function keepCounted(counted: Map<string, Counted>, key: string, one: Counted): void {
  const since = counted.get(key);
  counted.set(key, since === undefined ? one : { ...since, more: since.more + one.more });
}
