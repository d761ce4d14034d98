import { callTurns } from './call-turns.ts';
import { createTurns } from './turns.ts';

/** Of a larger pool, connections that only work has which no call waits for. */
const OF_BACKGROUND = 2;
/** Calls of one tenant that may wait for a connection, and of one caller: as many as one address may have open. */
const MAX_WAITING = 1_024;
const MAX_WAITING_OF_CALLER = 512;
const MAX_WAIT_MS = 5_000;
/** A tenant has a quarter of the pool while another one was there so lately. */
const WHILE_OTHERS_MS = 1_000;

/** Runs work on a connection in the turn of its tenant. */
export type PoolTurns = <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;

/** Fair turns at a pool of connections. Throws `TurnRefused` for whoever asks for too many at a time. */
export function poolTurns(poolSize: number): PoolTurns {
  // So few cannot be divided: first come, first served.
  if (poolSize <= OF_BACKGROUND) return (_, work) => work();
  const waiting = { maxWaiting: MAX_WAITING, maxWaitingOfCaller: MAX_WAITING_OF_CALLER, maxWaitMs: MAX_WAIT_MS };
  const pool = (slots: number, share: number) =>
    createTurns({ ...waiting, slots, perTenant: share, perCaller: share, whileOthersMs: WHILE_OTHERS_MS });
  const slots = poolSize - OF_BACKGROUND;
  const calls = pool(slots, Math.max(1, Math.floor(slots / 4)));
  return callTurns({ calls, background: pool(OF_BACKGROUND, OF_BACKGROUND) });
}
