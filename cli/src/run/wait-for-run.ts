import { setTimeout as delay } from 'node:timers/promises';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { CliError } from '../cli-error.ts';

/** What a poll of a run tells; a run that the poll cannot find any more throws `notFound`. */
export interface Polled {
  status: string;
}

export interface WaitOptions<T extends Polled> {
  poll(): Promise<T>;
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

/**
 * Waits until a run is in any terminal state and returns that state. An API that restarts is waited for, within the
 * same time limit; a run that is gone ends the wait at once. Ends with `timedOut` at the limit and with `interrupted`
 * at Ctrl-C; the run goes on in both cases, and the error says how to wait for it again.
 */
export async function waitForRun<T extends Polled>(options: WaitOptions<T>): Promise<T> {
  const { poll, seen, timeoutMs, interrupted, reattach } = options;
  const until = performance.now() + timeoutMs;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const state = await poll().catch((error: unknown) => {
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
    await delay(Math.min(pause, left), undefined, { signal: interrupted }).catch(() => undefined);
  }
}
