import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepFolders } from '@weir/work';
import type { SelectBounds } from '../../model/select/messages.ts';
import { createSelects, type Selects } from './selects.ts';

/** What a statement may take while its caller waits. */
const API_BOUNDS: SelectBounds = { memoryMiB: 768, threads: 2, spillMiB: 1_024, deadlineMs: 30_000 };
/** Statements that run in the API process at the same time. */
const API_SLOTS = 2;
const PREFIX = 'weir-selects-';
const LEFT = new RegExp(`^${PREFIX}(\\d+)-`);

/** The statements of callers who wait for the answer. */
export function apiSelects(): Selects {
  const scratch = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);
  return createSelects({ scratch, bounds: API_BOUNDS, slots: API_SLOTS });
}

/** Removes what API processes that no longer run have left behind. */
export function sweepApiSelects(onLeft: (folder: string) => void): Promise<void> {
  return sweepFolders(tmpdir(), LEFT, onLeft);
}
