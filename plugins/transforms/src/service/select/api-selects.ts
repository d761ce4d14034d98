import { randomUUID } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTurns } from '@weir/turns';
import { sweepFolders } from '@weir/work';
import type { SelectBounds } from '../../model/select/messages.ts';
import { createSelects, type Selects } from './selects.ts';

/** What a statement may take while its caller waits. */
const API_BOUNDS: SelectBounds = { memoryMiB: 768, threads: 2, spillMiB: 1_024, deadlineMs: 30_000 };
/** What it may take to read one, as when it is checked while somebody types. */
const READ_DEADLINE_MS = 10_000;
/** Statements that run in the API process at the same time: a tenant never has the last one. */
const SLOTS = Math.max(2, availableParallelism()) + 1;
const TURNS = {
  ...{ slots: SLOTS, perTenant: SLOTS - 1, perCaller: Math.max(1, Math.floor((SLOTS - 1) / 2)) },
  ...{ maxWaiting: 64, maxWaitingOfCaller: 16, maxWaitMs: 10_000 },
};
const PREFIX = 'weir-selects-';
const LEFT = new RegExp(`^${PREFIX}(\\d+)-`);

/** The statements of callers who wait for the answer. */
export function apiSelects(): Selects {
  const scratch = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);
  return createSelects({ scratch, bounds: API_BOUNDS, turns: createTurns(TURNS), readDeadlineMs: READ_DEADLINE_MS });
}

/** Removes what API processes that no longer run have left behind. */
export function sweepApiSelects(onLeft: (folder: string) => void): Promise<void> {
  return sweepFolders(tmpdir(), LEFT, onLeft);
}
