import { LRUCache } from 'lru-cache';

const PERIOD_MS = 60_000;
/** Callers that are remembered; beyond, those that have been away longest begin anew. Some 20 MB when full. */
const MAX_CALLERS = 100_000;

/** How much each caller has used of a rate, which is spread over a minute and may be used up at once. */
export interface CallerRates {
  /** Takes one call, unless none is left: then the milliseconds to wait for the next one, and nothing is taken. */
  take(caller: string, perMinute: number): number;
  /** The milliseconds to wait, taking nothing. */
  waitOf(caller: string, perMinute: number): number;
  count(): number;
}

/**
 * The generic cell rate algorithm (ITU-T I.371): a caller is remembered by one number, the time at which all of its
 * calls would have arrived at the even rate. A rate of 0 has no end.
 */
export function callerRates(now: () => number): CallerRates {
  const arrivals = new LRUCache<string, number>({ max: MAX_CALLERS });
  const wait = (at: number, due: number, perMinute: number) => due - at - (PERIOD_MS - PERIOD_MS / perMinute);
  return {
    take(caller, perMinute) {
      if (!(perMinute > 0)) return 0;
      const at = now();
      const due = Math.max(at, arrivals.get(caller) ?? at);
      const waitMs = wait(at, due, perMinute);
      if (waitMs > 0) return waitMs;
      arrivals.set(caller, due + PERIOD_MS / perMinute);
      return 0;
    },
    waitOf(caller, perMinute) {
      if (!(perMinute > 0)) return 0;
      const at = now();
      return Math.max(0, wait(at, Math.max(at, arrivals.get(caller) ?? at), perMinute));
    },
    count: () => arrivals.size,
  };
}
