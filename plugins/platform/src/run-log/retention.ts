import { type Kernel, type Repetition, repeat } from '@weir/kernel';
import type { RunLogStore } from '@weir/run-logs';
import { oldRuns } from './segment-index.ts';

const SWEEP_EVERY_MS = 3_600_000;
/** Runs of one tenant that one round takes; the rest waits for the next. */
const MAX_RUNS = 500;
export const MS_PER_DAY = 86_400_000;

export interface LogRetention extends Pick<Kernel, 'db' | 'tenants' | 'log'> {
  store: RunLogStore;
  days: number;
}

/** Removes logs that were kept long enough, tenant by tenant, until it is stopped; several processes may do so at once. */
export function startLogRetention(deps: LogRetention): Repetition {
  return repeat(
    SWEEP_EVERY_MS,
    () => removeOldLogs(deps, Date.now()),
    (err) => deps.log.warn({ err }, 'old logs of runs could not be removed; it is tried again'),
  );
}

/** One round over all tenants. */
export async function removeOldLogs({ db, tenants, store, days }: LogRetention, now: number): Promise<void> {
  const before = new Date(now - days * MS_PER_DAY);
  for (const tenant of await tenants.list()) {
    const runIds = await db(tenant).transaction((tx) => oldRuns(tx, before, MAX_RUNS));
    for (const runId of runIds) await store.remove({ tenantId: tenant.tenantId, runId });
  }
}
