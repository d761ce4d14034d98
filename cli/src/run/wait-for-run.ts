import { setTimeout as delay } from 'node:timers/promises';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { CliError } from '../cli-error.ts';

/** What a poll of a run tells; a run that the poll cannot find any more throws `notFound`. */
export interface Polled {
  status: string;
}

export interface WaitOptions<T extends Polled> {
  /** Asks for the run; where the server `waits`, it answers once the run has ended, or after so many seconds. */
  poll(waitSeconds: number): Promise<T>;
  waits?: boolean;
  /** Told every state that was seen. */
  seen?(state: T): void;
  timeoutMs: number;
  interrupted: AbortSignal;
  /** Printed when the wait ends before the run: how to wait again, and how to look. */
  reattach: string;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 1_000;
const LONGEST_BACKOFF_MS = 5_000;
const GROWTH = 1.5;
const MS_PER_SECOND = 1_000;
/** How long the server is asked to wait: shorter than any limit of a call, and the status is shown now and then. */
const SERVER_WAITS_MS = 10_000;

/**
 * Waits until a run is in any terminal state and returns that state. An API that restarts is waited for, within the
 * same time limit; a run that is gone ends the wait at once. Ends with `timedOut` at the limit and with `interrupted`
 * at Ctrl-C; the run goes on in both cases, and the error says how to wait for it again.
 */
export async function waitForRun<T extends Polled>(options: WaitOptions<T>): Promise<T> {
  const { poll, waits = false, seen, timeoutMs, interrupted, reattach } = options;
  const until = performance.now() + timeoutMs;
  let pause = FIRST_PAUSE_MS;
  let isSeen = false;
  for (;;) {
    const asked = performance.now();
    // The first answer comes at once, to be shown.
    const isWaiting: boolean = waits && isSeen;
    const waitSeconds: number = isWaiting ? Math.floor(Math.min(SERVER_WAITS_MS, until - asked) / MS_PER_SECOND) : 0;
    const state = await poll(waitSeconds).catch((error: unknown) => {
      if (interrupted.aborted) return undefined;
      if (error instanceof CliError && error.exit === 'unreachable') return undefined;
      throw error;
    });
    if (state !== undefined) {
      seen?.(state);
      if ((TERMINAL_RUN_STATUSES as readonly string[]).includes(state.status)) return state;
    }
    const left = until - performance.now();
    if (interrupted.aborted) throw new CliError('interrupted', 'Detached; the run goes on.', { hint: reattach });
    if (left <= 0)
      throw new CliError('timedOut', `The run has not ended in ${timeoutMs / 1_000} s; it goes on.`, {
        hint: reattach,
      });
    pause = Math.min(pause * GROWTH, state === undefined ? LONGEST_BACKOFF_MS : LONGEST_PAUSE_MS);
    isSeen = state !== undefined;
    // A server that waited has taken the time already, and one that is to wait takes it.
    const taken = isWaiting ? performance.now() - asked : waits && isSeen ? pause : 0;
    const rest = Math.min(pause - taken, left);
    if (rest > 0) await delay(rest, undefined, { signal: interrupted }).catch(() => undefined);
  }
}
