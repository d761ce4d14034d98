import { type Kernel, type Repetition, repeat } from '@weir/kernel';
import { purgeHints } from './store.ts';

const PURGE_EVERY_MS = 5 * 60_000;
/** Batches that one tenant gets in one round; the rest waits for the next. */
const MAX_BATCHES = 20;

/** Deletes hints that are too old, tenant by tenant, until it is stopped. */
export function startRetention(kernel: Pick<Kernel, 'db' | 'tenants' | 'log'>): Repetition {
  return repeat(
    PURGE_EVERY_MS,
    () => purgeAll(kernel, Date.now()),
    (err) => kernel.log.warn({ err }, 'old events could not be deleted; it is tried again'),
  );
}

/** One round over all tenants. */
export async function purgeAll({ db, tenants }: Pick<Kernel, 'db' | 'tenants'>, now: number): Promise<void> {
  for (const tenant of await tenants.list()) {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      if ((await db(tenant).transaction((tx) => purgeHints(tx, now))) === 0) break;
    }
  }
}
