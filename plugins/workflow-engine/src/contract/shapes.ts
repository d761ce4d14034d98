import { Type } from '@sinclair/typebox';
import { Nullable, OneOf, Timestamp } from '@weir/kernel/contract';

/** The two kinds of tasks that a queue holds and that workers poll for. */
export const TASK_TYPES = ['workflow', 'activity'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** What becomes of the tasks that wait: nothing waits, fewer come than go, more come than go, or nobody takes them. */
export const BACKLOG_VERDICTS = ['empty', 'draining', 'growing', 'stuck'] as const;

/** Whether a queue can do its work; a missing activity poller alone never makes it less than `up`. */
export const QUEUE_STATUSES = ['up', 'no_worker', 'unreachable'] as const;

const seconds = (description: string) => Type.Number({ minimum: 0, description });

/** What identifies a queue: the role whose workers poll it, and the plugins that bring the role, by commas. */
export const queueName = { role: Type.String(), queue: Type.String(), plugin: Type.String() };

/** Tasks of one type, or of both together, that wait. */
export const Backlog = Type.Object({
  tasks: Type.Integer({ minimum: 0, description: 'About how many wait' }),
  oldest_seconds: seconds('How long the first has waited'),
  added_per_second: seconds('Mean of the last half minute'),
  dispatched_per_second: seconds('Mean of the last half minute'),
});

/** Who polls for one type of tasks. */
export const PollerState = Type.Object({
  live: Type.Boolean({ description: 'One has polled within the last 70 seconds' }),
  pollers: Type.Integer({ minimum: 0, description: 'How many live ones' }),
  last_seen_at: Nullable(Timestamp),
});

/**
 * How long activities waited from when they could start until a worker started them, over the whole deployment and since
 * figures were first kept. Quantiles are estimated within the buckets of a histogram; null before the first activity.
 */
export const ScheduleToStart = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  p50_seconds: Nullable(seconds('Half of them waited at most this long')),
  p95_seconds: Nullable(seconds('19 of 20 waited at most this long')),
  max_seconds: Nullable(seconds('Upper edge of the highest bucket that holds one; null when that bucket has no edge')),
});

/** Null when the plugin that adds up the figures of all processes is not there. */
export const MaybeScheduleToStart = Nullable(ScheduleToStart);

export const QueueStatus = OneOf(QUEUE_STATUSES, {
  description: 'up: a worker polls for workflow tasks; no_worker: none does; unreachable: the engine does not answer',
});
