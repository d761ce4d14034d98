import type { Static } from '@sinclair/typebox';
import type { FiguresService } from '@weir/plugin-platform/contract';
import type { ScheduleToStart } from '../contract.ts';
import { SCHEDULE_TO_START } from './activity-figures.ts';
import { type Bucket, highestEdge, quantile } from './quantiles.ts';

type Waits = Static<typeof ScheduleToStart>;

/** How long activities of each queue waited, over all processes; undefined when nobody adds the figures up. */
export async function scheduleToStart(figures: FiguresService | undefined): Promise<Map<string, Waits> | undefined> {
  if (figures === undefined) return undefined;
  const totals = await figures.totals(SCHEDULE_TO_START);
  const buckets = totals.filter(({ metricName }) => metricName === `${SCHEDULE_TO_START}_bucket`);
  const byQueue = Map.groupBy(buckets, ({ labels }) => labels.queue ?? '');
  return new Map([...byQueue].map(([queue, found]) => [queue, waitsOf(found.map(bucketOf))]));
}

function bucketOf({ labels, value }: { labels: Readonly<Record<string, string>>; value: number }): Bucket {
  const { le = '+Inf' } = labels;
  return { edge: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), cumulative: value };
}

function waitsOf(found: readonly Bucket[]): Waits {
  const buckets = found.toSorted((a, b) => a.edge - b.edge);
  const highest = highestEdge(buckets);
  return {
    count: buckets.at(-1)?.cumulative ?? 0,
    p50_seconds: quantile(buckets, 0.5) ?? null,
    p95_seconds: quantile(buckets, 0.95) ?? null,
    max_seconds: highest === undefined || !Number.isFinite(highest) ? null : highest,
  };
}
