import type { Tenant } from '@weir/kernel';
import { type ExpiryDeps, expireSnapshots } from './expire.ts';
import { type SweepDeps, sweep } from './sweep.ts';

const EVERY_MS = 3_600_000;
/** Processes that start together do not sweep together. */
const JITTER = 0.2;

/** Sweeps that go on until they are stopped. */
export interface SweepSchedule {
  start(): void;
  /** Resolves once no sweep is under way. */
  stop(): Promise<void>;
}

/** Sweeps the staged files of every tenant and drops its old snapshots once an hour, in ordinary tenant transactions. */
export function sweepSchedule(deps: SweepDeps & ExpiryDeps): SweepSchedule {
  const { kernel } = deps;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const sweepTenant = async (tenant: Tenant): Promise<void> => {
    const counts = { marked: 0, removed: 0 };
    let token: string | undefined;
    do {
      const page = await sweep(deps, tenant, token === undefined ? {} : { page_token: token });
      counts.marked += page.items.filter(({ action }) => action === 'mark').length;
      counts.removed += page.items.filter(({ action, done }) => action === 'remove' && done).length;
      token = page.next_page_token ?? undefined;
    } while (token !== undefined && !stopped);
    if (counts.marked + counts.removed > 0) kernel.log.info(counts, 'staged files were swept');
    const expired = await expireSnapshots(deps, tenant, () => stopped);
    if (expired > 0) kernel.log.info({ expired }, 'old snapshots have expired');
  };
  const sweepAll = async (): Promise<void> => {
    try {
      for (const tenant of await kernel.tenants.list()) if (!stopped) await sweepTenant(tenant);
    } catch (err) {
      kernel.log.warn({ err }, 'a sweep of staged files ended early; it is tried again');
    }
  };
  const next = (): void => {
    if (stopped) return;
    timer = setTimeout(
      () => {
        running = sweepAll().then(next);
      },
      EVERY_MS * (1 - JITTER * Math.random()),
    ).unref();
  };
  return {
    start: next,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
