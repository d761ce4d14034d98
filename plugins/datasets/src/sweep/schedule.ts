import { type Duty, duty, type Tenant } from '@weir/kernel';
import { type SweepDeps, sweep } from './sweep.ts';

/** Sweeps the staged files of every tenant once an hour. */
export const hourlySweep = (deps: SweepDeps): Duty =>
  duty({
    name: 'datasets.staged_files',
    everyMs: 3_600_000,
    where: 'maintenance',
    perTenant: (tenant, signal) => sweepTenant(deps, tenant, signal),
  });

async function sweepTenant(deps: SweepDeps, tenant: Tenant, signal: AbortSignal): Promise<void> {
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
}
