import type { Kernel } from '@weir/kernel';
import type { ActivityWatch } from '@weir/kernel/contract';

/** Buckets in seconds: from a worker that is there to a backlog of a day. */
const WAIT_SECONDS = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ...[60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400],
];
const OUTCOMES = ['succeeded', 'failed', 'cancelled'] as const;

/** The family whose sums tell how long activities waited. */
export const SCHEDULE_TO_START = 'weir_activity_schedule_to_start_seconds';

/** Registers the figures of activities, and answers what the worker program tells of each. */
export function activityFigures(
  metrics: Pick<Kernel['metrics'], 'histogram'>,
  queues: readonly string[],
): ActivityWatch {
  const waited = metrics.histogram({
    name: SCHEDULE_TO_START,
    help: 'From when an activity could start until a worker started it',
    labels: { queue: queues },
    buckets: WAIT_SECONDS,
  });
  const lasted = metrics.histogram({
    name: 'weir_activity_duration_seconds',
    help: 'From the start of an attempt of an activity to its end',
    labels: { queue: queues, outcome: OUTCOMES },
    buckets: WAIT_SECONDS,
  });
  return (queue, seconds, outcome) =>
    outcome === undefined ? waited({ queue }, seconds) : lasted({ queue, outcome }, seconds);
}
