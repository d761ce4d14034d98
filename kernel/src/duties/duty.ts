import type { Logger } from 'pino';
import type { Tenant } from '../contract/caller.ts';
import type { Tenants } from '../tenancy/tenants.ts';

/** How often the log names a tenant that keeps failing. */
const LOG_AGAIN_MS = 3_600_000;

/** Work for each tenant that no call waits for. */
export interface DutySpec {
  /** `plugin.noun`, unique: the name of its lock, in its log and in its figure. */
  name: string;
  everyMs: number;
  /** The processes that do it: the API, or workers of a role, such as `maintenance`, which has what touches files or tables. */
  where: string;
  /** The tenants of a round, read when it begins; all unless given. */
  tenants?(all: () => Promise<Tenant[]>): Promise<readonly Tenant[]>;
  /** What it throws is logged and counted, and the round goes on with the next tenant. */
  perTenant(tenant: Tenant, signal: AbortSignal): Promise<unknown>;
}

/** What a round needs of the process that runs it. */
export interface DutyPorts {
  tenants: Pick<Tenants, 'list'>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Counts each tenant of a round. */
  counted?(outcome: 'served' | 'failed'): void;
  /** Ends the round before its next tenant. */
  signal?: AbortSignal;
}

/** A declared duty. */
export interface Duty extends Readonly<Omit<DutySpec, 'tenants'>> {
  /** Serves every tenant once, in an order that rotates from round to round. Throws only when the tenants cannot be listed. */
  round(ports: DutyPorts): Promise<void>;
}

/** Declares work for each tenant: one that fails holds up no other. The only way to go over tenants. */
export function duty(spec: DutySpec): Duty {
  const loggedAt = new Map<string, number>();
  let rounds = 0;
  const { name, tenants = (all) => all() } = spec;
  return {
    ...spec,
    async round({ tenants: known, log, counted, signal = new AbortController().signal }) {
      const all = await tenants(() => known.list());
      const first = rounds % Math.max(1, all.length);
      rounds += 1;
      for (const tenant of [...all.slice(first), ...all.slice(0, first)]) {
        if (signal.aborted) return;
        const { tenantId: tenant_id } = tenant;
        try {
          await spec.perTenant(tenant, signal);
          counted?.('served');
          if (loggedAt.delete(tenant_id)) log.info({ duty: name, tenant_id }, 'a duty serves this tenant again');
        } catch (err) {
          counted?.('failed');
          if (Date.now() - (loggedAt.get(tenant_id) ?? 0) < LOG_AGAIN_MS) continue;
          loggedAt.set(tenant_id, Date.now());
          log.warn({ err, duty: name, tenant_id }, 'a duty failed for this tenant; the next round retries');
        }
      }
    },
  };
}
