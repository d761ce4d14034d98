import { type Duty, duty, type Tenant } from '@weir/kernel';
import { type ExpiryDeps, expireSnapshots } from './expire.ts';
import { type SweepDeps, sweep } from './sweep.ts';

/** Sweeps the staged files of every tenant and drops its old snapshots once an hour. */
export const hourlySweep = (deps: SweepDeps & ExpiryDeps): Duty =>
  duty({
    name: 'datasets.staged_files',
    everyMs: 3_600_000,
    where: 'api',
    perTenant: (tenant, signal) => sweepTenant(deps, tenant, signal),
  });

async function sweepTenant(deps: SweepDeps & ExpiryDeps, tenant: Tenant, signal: AbortSignal): Promise<void> {
  const { log } = deps.kernel;
  const counts = { marked: 0, removed: 0 };
  let token: string | undefined;
  do {
    const page = await sweep(deps, tenant, token === undefined ? {} : { page_token: token });
    counts.marked += page.items.filter(({ action }) => action === 'mark').length;
    counts.removed += page.items.filter(({ action, done }) => action === 'remove' && done).length;
    token = page.next_page_token ?? undefined;
  } while (token !== undefined && !signal.aborted);
  if (counts.marked + counts.removed > 0) log.info(counts, 'staged files were swept');
  const expired = await expireSnapshots(deps, tenant, () => signal.aborted);
  if (expired > 0) log.info({ expired }, 'old snapshots have expired');
}
