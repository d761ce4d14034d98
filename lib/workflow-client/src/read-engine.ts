import type { WorkflowExecutionDescription, WorkflowService } from '@temporalio/client';

/** What the engine answers, as its client types it. */
type RawActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];
type RawQueue = Awaited<ReturnType<WorkflowService['describeTaskQueue']>>;
type Time = RawActivity['lastHeartbeatTime'];

const WORKFLOW_STATUSES = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  CONTINUED_AS_NEW: 'running',
  TIMED_OUT: 'timed_out',
  PAUSED: 'running',
} as const;
type Status = (typeof WORKFLOW_STATUSES)[keyof typeof WORKFLOW_STATUSES];

/** The status of a workflow by the engine's name for it. */
export function statusOf(name: string): Status {
  return (WORKFLOW_STATUSES as Readonly<Record<string, Status>>)[name] ?? 'running';
}

/** `PendingActivityState` of the engine's protocol, by number. */
const ACTIVITY_STATES = ['scheduled', 'scheduled', 'started', 'cancel_requested', 'paused', 'paused'] as const;

/** Seconds of a duration of the engine's protocol; 0 when it is absent. */
export function secondsOf(time: Time): number {
  return (time?.seconds?.toNumber() ?? 0) + (time?.nanos ?? 0) / 1e9;
}

function instant(time: Time): Date | undefined {
  const seconds = secondsOf(time);
  return seconds === 0 ? undefined : new Date(seconds * 1000);
}

/** An activity of the engine's answer about a workflow. */
export function pendingActivity(found: RawActivity) {
  return {
    type: found.activityType?.name ?? '',
    state: ACTIVITY_STATES[found.state ?? 0] ?? 'scheduled',
    attempt: found.attempt ?? 0,
    lastHeartbeatAt: instant(found.lastHeartbeatTime),
    lastStartedAt: instant(found.lastStartedTime),
    lastWorker: found.lastWorkerIdentity || undefined,
  };
}

/** One side of the engine's answer about a task queue. */
export function queueSide({ pollers, stats }: RawQueue) {
  return {
    pollers: (pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastSeenAt: instant(lastAccessTime) ?? new Date(0),
    })),
    backlog: {
      tasks: stats?.approximateBacklogCount?.toNumber() ?? 0,
      oldestSeconds: secondsOf(stats?.approximateBacklogAge),
      addedPerSecond: stats?.tasksAddRate ?? 0,
      dispatchedPerSecond: stats?.tasksDispatchRate ?? 0,
    },
  };
}
