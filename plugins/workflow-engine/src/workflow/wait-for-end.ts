import { setTimeout } from 'node:timers/promises';
import { kernelProblems } from '@weir/kernel/contract';

/** Waits that one API process holds at once; each reads its run about once a second. */
export const MAX_WAITS = 200;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Looks until something has ended, the time is over or the caller has gone; answers what it looked like last. */
export type WaitForEnd = <T>(
  look: () => Promise<T>,
  hasEnded: (seen: T) => boolean,
  limits: { timeoutMs: number; signal: AbortSignal },
) => Promise<T>;

/**
 * Waiting for ends, for one process. Looks soon at first and then once a second. Throws `dependency_unavailable` when too
 * many wait already, so that waiting cannot use the database up.
 */
export function waitForEnd(): WaitForEnd {
  let waiting = 0;
  return async (look, hasEnded, { timeoutMs, signal }) => {
    if (waiting >= MAX_WAITS) throw kernelProblems.dependencyUnavailable();
    waiting += 1;
    try {
      const deadline = performance.now() + timeoutMs;
      let seen = await look();
      for (let pause = FIRST_PAUSE_MS; !hasEnded(seen); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        const left = deadline - performance.now();
        if (left <= 0 || signal.aborted) break;
        // A caller that goes away ends the pause; nobody reads the answer then.
        await setTimeout(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
        seen = await look();
      }
      return seen;
    } finally {
      waiting -= 1;
    }
  };
}
