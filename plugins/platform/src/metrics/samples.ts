import type { PlatformService } from '@weir/kernel';
import type { MetricSampleView } from '../contract.ts';

/** Metrics of one name as prom-client gives them: counters, histograms or gauges. */
export type Family = Awaited<ReturnType<PlatformService['metrics']['counted']>>[number];

/** One figure as the table of sums keeps it; `labels` is JSON with its names in order, so that it can be a key. */
export interface Sample {
  name: string;
  labels: string;
  value: number;
}

/** Every figure of some families. */
export function samplesOf(families: readonly Family[]): Sample[] {
  return families.flatMap(({ name, values }) =>
    values.map(({ metricName = name, labels, value }: NamedValue) => ({
      name: metricName,
      labels: keyOf(labels),
      value,
    })),
  );
}

/** A value of a histogram names the figure that it belongs to. */
type NamedValue = Family['values'][number] & { metricName?: string };

function keyOf(labels: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(labels).map(([name, value]) => [name, String(value)] as const);
  return JSON.stringify(Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/**
 * The families with the values of the table: of each family its own figures, in the order in which the text form wants
 * them. Figures of a family that is not known here any more are left out.
 */
export function withSums(families: readonly Family[], sums: readonly Sample[]): Family[] {
  const byName = Map.groupBy(sums, ({ name }) => name);
  return families.map((family) => {
    const parts = family.type.toString() === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    const found = parts.flatMap((part, rank) =>
      (byName.get(family.name + part) ?? []).map(({ name, labels: text, value }) => {
        const labels = JSON.parse(text) as Record<string, string>;
        const { le, ...series } = labels;
        const place = [JSON.stringify(series), rank, le === undefined ? 0 : boundOf(le)] as const;
        return { place, value: { metricName: name, labels, value } };
      }),
    );
    const values = found.sort((a, b) => compare(a.place, b.place)).map(({ value }) => value);
    return { ...family, values } as Family;
  });
}

const boundOf = (le: string) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le));

type Place = readonly [string, number, number];

function compare(a: Place, b: Place): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] !== b[1]) return a[1] - b[1];
  return a[2] === b[2] ? 0 : a[2] < b[2] ? -1 : 1;
}

/** The figures of families as the wire has them; what is no number is not there. */
export function viewOf(families: readonly Family[]): MetricSampleView[] {
  return families.flatMap((family) => {
    const type = family.type.toString() as MetricSampleView['type'];
    return samplesOf([family]).flatMap(({ name, labels, value }) =>
      Number.isFinite(value) ? [{ name, type, labels: JSON.parse(labels), value }] : [],
    );
  });
}
