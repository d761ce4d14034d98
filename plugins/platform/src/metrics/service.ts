import { type PlatformService, raw } from '@weir/kernel';
import { AggregatorRegistry } from 'prom-client';
import { METRICS_TEXT } from '../contract.ts';
import type { MetricLedger } from './ledger.ts';
import { type Family, viewOf, withSums } from './samples.ts';

/** The figures of all processes, and the gauges of this one, as text for Prometheus or as JSON. */
export function metricsService({ ledger, metrics }: { ledger: MetricLedger; metrics: PlatformService['metrics'] }) {
  const families = async (): Promise<Family[]> => {
    await ledger.flush();
    const sums = await ledger.sums();
    return [...withSums(await metrics.counted(), sums), ...(await metrics.gauges())];
  };
  return {
    async read(mediaType: string) {
      const found = await families();
      if (mediaType !== METRICS_TEXT) return { items: viewOf(found) };
      return raw({
        type: `${METRICS_TEXT}; charset=utf-8`,
        body: await AggregatorRegistry.aggregate([found]).metrics(),
      });
    },
  };
}
