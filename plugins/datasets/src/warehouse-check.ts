import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { HealthCheck } from '@weir/kernel/contract';
import { type FileIO, LakehouseError, parseLocation } from '@weir/lakehouse';

/** A disk that hangs, or a store that is silent for longer than it should be, counts as gone after this time. */
const CHECK_TIMEOUT_MS = 2_000;
const PROBE = Buffer.from('weir\n');

/**
 * Whether files can be made where the tables lie: the place is there, it is ours to write and has space, and what is
 * there is not replaced. A store that ignores that condition would let two commits of a table both succeed.
 */
export function warehouseCheck(io: FileIO, warehouse: string): HealthCheck {
  // One name per process, so that a file that could not be removed is the next check's, and never one more.
  const probe = `${warehouse}/.weir-probe-${randomUUID()}`;
  const works = async (): Promise<boolean> => {
    if (!(await isThere(warehouse))) return false;
    await io.remove(probe);
    await io.write(probe, PROBE);
    const kept = await io.write(probe, PROBE).then(
      () => false,
      (error: unknown) => error instanceof LakehouseError && error.code === 'file_exists',
    );
    await io.remove(probe);
    return kept;
  };
  return {
    name: 'warehouse',
    async check() {
      const waited = new AbortController();
      const late = delay(CHECK_TIMEOUT_MS, false, { signal: waited.signal }).catch(() => false);
      try {
        return await Promise.race([works().catch(() => false), late]);
      } finally {
        waited.abort();
      }
    },
  };
}

/** A folder that went away would be made again by a write, and hide that the tables are gone. */
async function isThere(warehouse: string): Promise<boolean> {
  const place = parseLocation(warehouse);
  return place.kind === 's3' || (await stat(place.path)).isDirectory();
}
