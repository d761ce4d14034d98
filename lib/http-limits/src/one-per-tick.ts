import { createTurns, type TurnsClock } from '@weir/turns';
import { networkOf } from './client-address.ts';

/** Longer than any crowd that the connections of a server hold takes to pass. */
const MAX_WAIT_MS = 60_000;
/** Enough for the files of several pages at once; then one each so many milliseconds. */
const BURST = 100;
const PACE_MS = 5;

/**
 * Lets callers without a token in one at a time, by turns of their addresses, and a crowd at a pace: between two of them the
 * process gets on with all else, so that their number costs others nothing.
 */
export function onePerTick(clock?: TurnsClock): (address: string) => Promise<void> {
  const bounds = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingOfCaller: Number.POSITIVE_INFINITY };
  const turns = createTurns({ slots: 1, perTenant: 1, perCaller: 1, maxWaitMs: MAX_WAIT_MS, ...bounds });
  const now = clock?.now ?? (() => performance.now());
  const after = clock?.after ?? ((ms, call) => void setTimeout(call, ms));
  let [left, lookedAt] = [BURST, now()];
  return async (address) => {
    const give = await turns.take({ tenant: networkOf(address), caller: '' });
    const at = now();
    left = Math.min(BURST, left + (at - lookedAt) / PACE_MS) - 1;
    lookedAt = at;
    if (left > 0) setImmediate(give);
    else after(PACE_MS, give);
  };
}
