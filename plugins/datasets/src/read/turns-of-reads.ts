import { createTurns, takeForCall } from '@weir/turns';

/** Reads of one tenant that may wait, as for a page of charts by several people, and those of one person. */
const WAITING = { maxWaiting: 128, maxWaitingOfCaller: 64, maxWaitMs: 10_000 };

/** Turns of calls at the children that read rows; a tenant never has the last one. */
export function turnsOfReads(children: number): () => Promise<() => void> {
  const share = Math.max(1, children - 1);
  const turns = createTurns({ ...WAITING, slots: children, perTenant: share, perCaller: share });
  return () => takeForCall(turns);
}
