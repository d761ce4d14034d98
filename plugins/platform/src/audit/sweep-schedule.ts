import { type Kernel, type Repetition, repeat } from '@weir/kernel';
import { sweepIntents } from './recorder.ts';
import type { RepeatedDenials } from './repeated-denials.ts';

const SWEEP_EVERY_MS = 60_000;

/** Ends lost intents from time to time, as several processes may do at once, and tells of denials that were counted, at last when it is stopped. */
export function startSweeps(
  kernel: Pick<Kernel, 'db' | 'tenants' | 'log'>,
  { flush }: Pick<RepeatedDenials, 'flush'>,
): Pick<Repetition, 'stop'> {
  const sweeps = repeat(
    SWEEP_EVERY_MS,
    () => Promise.all([sweepIntents(kernel), flush()]),
    (err) => kernel.log.warn({ err }, 'the trail could not be swept; it is tried again'),
  );
  return {
    async stop() {
      await sweeps.stop();
      await flush(true).catch((err: unknown) => kernel.log.warn({ err }, 'denials could not be told'));
    },
  };
}
