import type { Static } from '@sinclair/typebox';
import { isLive, type TaskQueueDescription } from '@weir/kernel';
import type { BACKLOG_VERDICTS, Backlog, PollerState, QUEUE_STATUSES, QueueHealthView } from '../contract.ts';
import type { QueueState } from './queue-states.ts';

type Side = TaskQueueDescription['workflow'];
type Verdict = (typeof BACKLOG_VERDICTS)[number];

const NOTHING: Static<typeof Backlog> = { tasks: 0, oldest_seconds: 0, added_per_second: 0, dispatched_per_second: 0 };
const NOBODY: Side = {
  pollers: [],
  backlog: { tasks: 0, oldestSeconds: 0, addedPerSecond: 0, dispatchedPerSecond: 0 },
};

/** Tasks that wait, as the wire has them; nothing for a queue that the engine did not tell of. */
export function backlogOf(...sides: readonly (Side | undefined)[]): Static<typeof Backlog> {
  return sides.reduce((sum, side) => {
    const { tasks, oldestSeconds, addedPerSecond, dispatchedPerSecond } = (side ?? NOBODY).backlog;
    return {
      tasks: sum.tasks + tasks,
      oldest_seconds: Math.max(sum.oldest_seconds, oldestSeconds),
      added_per_second: sum.added_per_second + addedPerSecond,
      dispatched_per_second: sum.dispatched_per_second + dispatchedPerSecond,
    };
  }, NOTHING);
}

/** Who polls for one type of tasks at a moment. */
export function pollersOf(side: Side | undefined, at: Date): Static<typeof PollerState> {
  const { pollers } = side ?? NOBODY;
  const live = pollers.filter((poller) => isLive(poller, at.getTime())).length;
  const seen = pollers.map(({ lastSeenAt }) => lastSeenAt.getTime());
  return {
    live: live > 0,
    pollers: live,
    last_seen_at: seen.length === 0 ? null : new Date(Math.max(...seen)).toISOString(),
  };
}

/** What becomes of a backlog, by who polls and by what comes and goes. */
export function verdictOf(backlog: Static<typeof Backlog>, polled: boolean): Verdict {
  if (backlog.tasks === 0) return 'empty';
  if (!polled) return 'stuck';
  return backlog.dispatched_per_second >= backlog.added_per_second ? 'draining' : 'growing';
}

/** The health of one queue. Pure. */
export function judgeQueue({ description, ...named }: QueueState, at: Date): QueueHealthView {
  const workflow_poller = pollersOf(description?.workflow, at);
  const activity_poller = pollersOf(description?.activity, at);
  const backlog = backlogOf(description?.workflow, description?.activity);
  const status: (typeof QUEUE_STATUSES)[number] =
    description === undefined ? 'unreachable' : workflow_poller.live ? 'up' : 'no_worker';
  return {
    ...named,
    status,
    workflow_poller,
    activity_poller,
    backlog: {
      verdict: verdictOf(backlog, workflow_poller.live),
      workflow: backlogOf(description?.workflow),
      activity: backlogOf(description?.activity),
    },
    diagnostics: status === 'up' && !activity_poller.live ? [ACTIVITY_POLLER_MISSING] : [],
  };
}

const ACTIVITY_POLLER_MISSING = {
  code: 'activity_poller_missing',
  detail: 'Nobody polls for activities: all activity slots are busy, or the worker takes workflow tasks only.',
};

/** The engine and its queues in one word. Pure. */
export function overallStatus(reachable: boolean, queues: readonly QueueHealthView[]): 'up' | 'degraded' | 'down' {
  if (!reachable) return 'down';
  return queues.every(({ status }) => status === 'up') ? 'up' : 'degraded';
}
