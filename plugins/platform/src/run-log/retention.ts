import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import type { RunsDropped } from '@weir/kernel/contract';
import type { RunLogStore } from '@weir/run-logs';
import { oldRuns, outdate } from './segment-index.ts';

/** Runs of one tenant that one round takes; the rest waits for the next. */
const MAX_RUNS = 500;
export const MS_PER_DAY = 86_400_000;

export interface LogRetention extends Pick<Kernel, 'db'> {
  store: RunLogStore;
  days: number;
}

/** Removes logs that were kept long enough. */
export const logRetention = (deps: LogRetention): Duty =>
  duty({
    name: 'platform.run_logs',
    everyMs: 3_600_000,
    where: 'api',
    perTenant: (tenant) => removeOldLogs(deps, tenant, Date.now()),
  });

/** One round for one tenant. */
export async function removeOldLogs({ db, store, days }: LogRetention, tenant: Tenant, now: number): Promise<void> {
  const before = new Date(now - days * MS_PER_DAY);
  const runIds = await db(tenant).transaction((tx) => oldRuns(tx, before, MAX_RUNS));
  for (const runId of runIds) await store.remove({ tenantId: tenant.tenantId, runId });
}

/**
 * Removes the logs of runs that are deleted, once they are. What a process that ends in between leaves is too old from then on,
 * and goes with the next round of the retention. Lines in the log store of somebody else are kept there.
 */
export function dropLogs(store: RunLogStore): RunsDropped {
  return async (tx, runIds) => {
    const { tenantId } = tx.tenant;
    await outdate(tx, runIds);
    tx.afterCommit(async () => {
      for (const runId of runIds) await store.remove({ tenantId, runId });
    });
  };
}
