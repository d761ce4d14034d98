import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import { purgeHints } from './store.ts';

/** Batches that one tenant gets in one round; the rest waits for the next. */
const MAX_BATCHES = 20;

/** Deletes hints that are too old. */
export const eventRetention = (kernel: Pick<Kernel, 'db'>): Duty =>
  duty({
    name: 'platform.events',
    everyMs: 5 * 60_000,
    where: 'api',
    perTenant: (tenant) => purgeOld(kernel, tenant, Date.now()),
  });

/** One round for one tenant. */
export async function purgeOld({ db }: Pick<Kernel, 'db'>, tenant: Tenant, now: number): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await db(tenant).transaction((tx) => purgeHints(tx, now))) === 0) return;
  }
}
