import type { FiguresService } from '../contract.ts';
import type { MetricLedger } from './ledger.ts';

const PARTS = ['', '_bucket', '_sum', '_count'];

/** The sums over all processes, for other plugins. */
export function figures(ledger: Pick<MetricLedger, 'sums'>): FiguresService {
  return {
    async totals(name) {
      const names = new Set(PARTS.map((part) => name + part));
      const found = (await ledger.sums()).filter((sample) => names.has(sample.name));
      return found.map(({ name: metricName, labels, value }) => ({ metricName, labels: JSON.parse(labels), value }));
    },
  };
}
