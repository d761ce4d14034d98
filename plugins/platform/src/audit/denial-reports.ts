import type { Kernel } from '@weir/kernel';
import { repeat } from '@weir/turns';
import type { RepeatedDenials } from './repeated-denials.ts';

const FLUSH_EVERY_MS = 60_000;

/** Reports the denials that this process has counted from time to time, and the rest when it is stopped. */
export function denialReports(
  { log }: Pick<Kernel, 'log'>,
  { flush }: Pick<RepeatedDenials, 'flush'>,
): { stop(): Promise<void> } {
  const failed = (err: unknown) => log.warn({ err }, 'counted denials could not be reported; they are kept');
  const reports = repeat(FLUSH_EVERY_MS, () => flush(), failed);
  return {
    async stop() {
      await reports.stop();
      await flush(true).catch(failed);
    },
  };
}
