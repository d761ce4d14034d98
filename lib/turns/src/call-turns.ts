import { AsyncLocalStorage } from 'node:async_hooks';
import type { Taker, Turns } from './turns.ts';

/** A call that work is done for. */
export interface Call {
  /** Who calls, as far as is known by now. */
  who(): Taker;
  /** Aborts when nobody waits for the answer any more. */
  gone(): AbortSignal;
}

interface State {
  /** Absent for what no call waits for. */
  call?: Call;
  /** The work at hand has a turn: what it asks for in between is part of it. */
  isHolding: boolean;
}

const states = new AsyncLocalStorage<State>();
/** Calls that had a turn: to refuse them one from then on would leave them half done. */
const begun = new WeakSet<Call>();

/** Does work, and whatever it begins, for a call. */
export function inCall<T>(call: Call, work: () => T): T {
  return states.run({ call, isHolding: false }, work);
}

export interface CallTurnsOptions {
  /** For work of calls. */
  calls: Turns;
  /** For what nobody waits for, such as sweeps; it has turns of its own. */
  background: Turns;
}

/** Gives each work for a tenant a turn, but work within such work. Throws `TurnRefused` for calls that had none so far. */
export function callTurns({ calls, background }: CallTurnsOptions) {
  return async <T>(tenant: string, work: () => Promise<T>): Promise<T> => {
    const { call, isHolding = false } = states.getStore() ?? {};
    if (isHolding) return work();
    const give = await (call === undefined
      ? background.take({ tenant, caller: '' }, { isUnderWay: true })
      : calls.take({ ...call.who(), tenant }, begun.has(call) ? { isUnderWay: true } : { signal: call.gone }));
    if (call !== undefined) begun.add(call);
    try {
      return await states.run({ ...(call && { call }), isHolding: true }, work);
    } finally {
      give();
    }
  };
}

/** Takes a turn for the call at hand, which leaves the line once its caller has gone. Work outside of calls waits without end. */
export function takeForCall(turns: Turns): Promise<() => void> {
  const { call } = states.getStore() ?? {};
  if (call === undefined) return turns.take({ tenant: '', caller: '' }, { isUnderWay: true });
  return turns.take(call.who(), { signal: call.gone });
}

/** Aborts when nobody waits for the answer of the call at hand any more; undefined outside of calls. */
export const goneOfCall = (): AbortSignal | undefined => states.getStore()?.call?.gone();
