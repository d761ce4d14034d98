import { setTimeout as delay } from 'node:timers/promises';
import type { Kernel, Tenant } from '@weir/kernel';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';

/** How often runs that are waited for are looked at. */
const LOOK_EVERY_MS = 500;
/** Callers of one process that may wait at once; one more is answered at once. */
const MAX_WAITING = 500;

interface Waiting {
  runId: string;
  end(): void;
}

/** Lets callers wait for the ends of runs: those of a tenant share one look, and none holds a connection between two. */
export function runEnds({ kernel: { db, runs, log } }: { kernel: Pick<Kernel, 'db' | 'runs' | 'log'> }) {
  const closing = new AbortController();
  const byTenant = new Map<string, Set<Waiting>>();
  const count = () => [...byTenant.values()].reduce((sum, { size }) => sum + size, 0);

  const look = async (tenant: Tenant, waiting: ReadonlySet<Waiting>): Promise<void> => {
    const ids = [...new Set([...waiting].map(({ runId }) => runId))];
    const found = await db(tenant).transaction((tx) => runs.findMany(tx, ids));
    const open = new Set(found.flatMap((run) => (TERMINAL_RUN_STATUSES.includes(run.status) ? [] : [run.runId])));
    for (const one of waiting) if (!open.has(one.runId)) one.end();
  };
  const watch = async (tenant: Tenant, waiting: ReadonlySet<Waiting>): Promise<void> => {
    while (waiting.size > 0) {
      await look(tenant, waiting).catch((err: unknown) => log.warn({ err }, 'runs that are waited for cannot be read'));
      if (waiting.size > 0) await delay(LOOK_EVERY_MS);
    }
    byTenant.delete(tenant.tenantId);
  };
  return {
    /** Resolves when the run has ended or is gone, after so many seconds, when the caller leaves, or when the server stops. */
    async ended(tenant: Tenant, runId: string, { seconds, signal }: { seconds: number; signal: AbortSignal }) {
      if (count() >= MAX_WAITING) return;
      const ends = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(seconds * 1_000)]);
      if (ends.aborted) return;
      const known = byTenant.get(tenant.tenantId);
      const waiting = known ?? new Set<Waiting>();
      await new Promise<void>((resolve) => {
        const own = {
          runId,
          end() {
            waiting.delete(own);
            resolve();
          },
        };
        ends.addEventListener('abort', own.end, { once: true });
        waiting.add(own);
        if (known !== undefined) return;
        byTenant.set(tenant.tenantId, waiting);
        void watch(tenant, waiting);
      });
    },
    close: () => closing.abort(),
  };
}
