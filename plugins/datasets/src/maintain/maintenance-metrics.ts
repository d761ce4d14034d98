import type { Kernel } from '@weir/kernel';

const ACTIONS = ['compact', 'expire', 'orphans'] as const;
const OUTCOMES = ['succeeded', 'failed'] as const;
const SECONDS = [0.1, 1, 10, 60, 600, 3_600];

/** Figures of maintenance, without a tenant. */
export function measureMaintenance(metrics: Kernel['metrics']) {
  const files = metrics.counter({
    name: 'weir_maintenance_files_total',
    help: 'Data files that maintenance put into others',
    labels: {},
  });
  const bytes = metrics.counter({
    name: 'weir_maintenance_bytes_total',
    help: 'Bytes that maintenance read and wrote',
    labels: { direction: ['read', 'written'] },
  });
  const lasted = metrics.histogram({
    name: 'weir_maintenance_seconds',
    help: 'Time of one action of maintenance on one table',
    labels: { action: ACTIONS, outcome: OUTCOMES },
    buckets: SECONDS,
  });
  return {
    rewritten({ files: count, read, written }: { files: number; read: number; written: number }): void {
      files({}, count);
      bytes({ direction: 'read' }, read);
      bytes({ direction: 'written' }, written);
    },
    async took<R>(action: (typeof ACTIONS)[number], work: () => Promise<R>): Promise<R> {
      const started = performance.now();
      const end = (outcome: (typeof OUTCOMES)[number]) =>
        lasted({ action, outcome }, (performance.now() - started) / 1_000);
      try {
        const result = await work();
        end('succeeded');
        return result;
      } catch (error) {
        end('failed');
        throw error;
      }
    },
  };
}
