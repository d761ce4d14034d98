import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HealthCheck } from '@weir/kernel/contract';

/** A folder on a disk that hangs counts as gone after this time. */
const CHECK_TIMEOUT_MS = 2_000;

/** Whether files can be made in the folder of the tables: it is there, it is ours to write, and has space. */
export function warehouseCheck(folder: string): HealthCheck {
  // One name per process, so that a file that could not be removed is the next check's, and never one more.
  const probe = join(folder, `.weir-probe-${randomUUID()}`);
  const write = async (): Promise<boolean> => {
    try {
      await writeFile(probe, 'weir\n');
      return true;
    } catch {
      return false;
    } finally {
      await rm(probe, { force: true }).catch(() => undefined);
    }
  };
  return {
    name: 'warehouse',
    async check() {
      const waited = new AbortController();
      try {
        return await Promise.race([write(), delay(CHECK_TIMEOUT_MS, false, { signal: waited.signal })]);
      } finally {
        waited.abort();
      }
    },
  };
}
