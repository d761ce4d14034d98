import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../cli-error.ts';

const POLL_MS = 50;

export interface UntilOptions {
  what: string;
  timeoutMs: number;
  interrupted: AbortSignal;
}

/** Polls until the check answers true; throws when the time is over, and `interrupted` at Ctrl-C. */
export async function until(
  check: () => Promise<boolean>,
  { what, timeoutMs, interrupted }: UntilOptions,
): Promise<void> {
  const limit = performance.now() + timeoutMs;
  while (!(await check())) {
    if (interrupted.aborted) throw new CliError('interrupted', 'Interrupted.');
    if (performance.now() > limit) throw new CliError('failed', `${what} was not ready in ${timeoutMs / 1_000} s.`);
    await delay(POLL_MS);
  }
}
