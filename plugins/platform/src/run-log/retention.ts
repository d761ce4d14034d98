import type { Kernel } from '@weir/kernel';
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

/** Removes logs that were kept long enough, tenant by tenant; several processes may do so at once. Returns how to stop it. */
export function startLogRetention(deps: LogRetention): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= removeOldLogs(deps, Date.now())
      .catch((error: unknown) =>
        deps.log.warn({ err: error }, 'old logs of runs could not be removed; it is tried again'),
      )
      .finally(() => {
        running = undefined;
      });
  }, SWEEP_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** One round over all tenants. */
export async function removeOldLogs({ db, tenants, store, days }: LogRetention, now: number): Promise<void> {
  const before = new Date(now - days * MS_PER_DAY);
  for (const tenant of await tenants.list()) {
    const runIds = await db(tenant).transaction((tx) => oldRuns(tx, before, MAX_RUNS));
    for (const runId of runIds) await store.remove({ tenantId: tenant.tenantId, runId });
  }
}
