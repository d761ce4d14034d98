import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';

/** Label names with all the values that each may have; anything else is counted as `other`. */
export type LabelValues = Readonly<Record<string, readonly string[]>>;
export type Labels<L extends LabelValues> = { readonly [N in keyof L]: string };

/** What a metric is called and told apart by; no label may name a tenant or anything that grows with use. */
export interface MetricSpec<L extends LabelValues> {
  /** `weir_<what>_<unit>`, with `_total` for counters. */
  name: string;
  help: string;
  labels: L;
}

/** Figures of this process; the plugin `platform` adds those of all processes up and shows them. */
export interface Metrics {
  counter<L extends LabelValues>(spec: MetricSpec<L>): (labels: Labels<L>, by?: number) => void;
  histogram<L extends LabelValues>(
    spec: MetricSpec<L> & { buckets: readonly number[] },
  ): (labels: Labels<L>, value: number) => void;
  /** Asked each time the figures are shown, in the process that shows them; nothing is added up. */
  gauge<L extends LabelValues>(
    spec: MetricSpec<L> & { read(): Promise<readonly { labels: Labels<L>; value: number }[]> },
  ): void;
  /** What this process has counted since it started: counters and histograms. */
  counted(): Promise<MetricObjectWithValues<MetricValue<string>>[]>;
  /** The gauges as they are now. */
  gauges(): Promise<MetricObjectWithValues<MetricValue<string>>[]>;
}

/** Buckets in seconds for requests, and for runs. */
export const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
export const RUN_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];

const OTHER = 'other';

/** A registry of its own, so that several platforms can run in one process. */
export function createMetrics(): Metrics {
  const sums = new Registry();
  const states = new Registry();
  const named = ({ name, help, labels }: MetricSpec<LabelValues>) => ({ name, help, labelNames: Object.keys(labels) });
  return {
    counter(spec) {
      const metric = new Counter({ ...named(spec), registers: [sums] });
      return (labels, by = 1) => metric.inc(bounded(spec.labels, labels), by);
    },
    histogram(spec) {
      const metric = new Histogram({ ...named(spec), buckets: [...spec.buckets], registers: [sums] });
      return (labels, value) => metric.observe(bounded(spec.labels, labels), value);
    },
    gauge(spec) {
      new Gauge({
        ...named(spec),
        registers: [states],
        async collect() {
          this.reset();
          // One that cannot be read now must not hide the others.
          const now = await spec.read().catch(() => []);
          for (const { labels, value } of now) this.set(bounded(spec.labels, labels), value);
        },
      });
    },
    counted: () => sums.getMetricsAsJSON(),
    gauges: () => states.getMetricsAsJSON(),
  };
}

/** The labels with every value that was not announced replaced, so that the number of series has a bound. */
function bounded(allowed: LabelValues, labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(allowed).map(([name, values]) => {
      const value = labels[name] ?? OTHER;
      return [name, values.includes(value) ? value : OTHER];
    }),
  );
}
