import { createTurns } from '@weir/turns';
import { networkOf } from './client-address.ts';

/** Longer than any crowd that the connections of a server hold takes to pass. */
const MAX_WAIT_MS = 60_000;

/**
 * Lets callers without a token in one at a time, by turns of their addresses: between two of them the process gets on with
 * all else. Their number costs others nothing then.
 */
export function onePerTick(): (address: string) => Promise<void> {
  const bounds = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingOfCaller: Number.POSITIVE_INFINITY };
  const turns = createTurns({ slots: 1, perTenant: 1, perCaller: 1, maxWaitMs: MAX_WAIT_MS, ...bounds });
  return async (address) => {
    const give = await turns.take({ tenant: networkOf(address), caller: '' });
    setImmediate(give);
  };
}
