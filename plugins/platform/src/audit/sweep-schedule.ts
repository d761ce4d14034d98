import type { Kernel } from '@weir/kernel';
import { sweepIntents } from './recorder.ts';

const SWEEP_EVERY_MS = 60_000;

/** Ends lost intents from time to time; several processes may do so at once. Returns how to stop it. */
export function startSweeps(kernel: Pick<Kernel, 'db' | 'tenants' | 'log'>): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= sweepIntents(kernel)
      .catch((error: unknown) => kernel.log.warn({ err: error }, 'lost calls could not be ended; it is tried again'))
      .finally(() => {
        running = undefined;
      });
  }, SWEEP_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
