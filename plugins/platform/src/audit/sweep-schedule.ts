import type { Kernel } from '@weir/kernel';
import { sweepIntents } from './recorder.ts';
import type { RepeatedDenials } from './repeated-denials.ts';

const SWEEP_EVERY_MS = 60_000;

/** Ends lost intents from time to time, as several processes may do at once, and tells of denials that were counted. Returns how to stop it. */
export function startSweeps(
  kernel: Pick<Kernel, 'db' | 'tenants' | 'log'>,
  { flush }: Pick<RepeatedDenials, 'flush'>,
): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= Promise.all([sweepIntents(kernel), flush()])
      .catch((error: unknown) => kernel.log.warn({ err: error }, 'the trail could not be swept; it is tried again'))
      .finally(() => {
        running = undefined;
      });
  }, SWEEP_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
    await flush(true).catch((error: unknown) => kernel.log.warn({ err: error }, 'denials could not be told'));
  };
}
