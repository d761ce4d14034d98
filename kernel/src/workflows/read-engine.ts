import type { PendingActivity, TaskQueueSide, WorkflowDescription } from './workflows.ts';

/** 64-bit numbers and times as the engine's protocol carries them. */
type Whole = number | { toNumber(): number } | null | undefined;
interface Time {
  seconds?: Whole;
  nanos?: number | null;
}

interface RawActivity {
  activityType?: { name?: string | null } | null;
  state?: number | null;
  attempt?: number | null;
  lastHeartbeatTime?: Time | null;
  lastStartedTime?: Time | null;
  lastWorkerIdentity?: string | null;
}

interface RawQueue {
  pollers?: { identity?: string | null; lastAccessTime?: Time | null }[] | null;
  stats?: {
    approximateBacklogCount?: Whole;
    approximateBacklogAge?: Time | null;
    tasksAddRate?: number | null;
    tasksDispatchRate?: number | null;
  } | null;
}

export const WORKFLOW_STATUSES: Readonly<Record<string, WorkflowDescription['status']>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  CONTINUED_AS_NEW: 'running',
  TIMED_OUT: 'timed_out',
  PAUSED: 'running',
};

/** `PendingActivityState` of the engine's protocol, by number. */
const ACTIVITY_STATES: readonly PendingActivity['state'][] = [
  'scheduled',
  'scheduled',
  'started',
  'cancel_requested',
  'paused',
  'paused',
];

function whole(value: Whole): number {
  return typeof value === 'object' && value !== null ? value.toNumber() : (value ?? 0);
}

/** Seconds of a duration of the engine's protocol; 0 when it is absent. */
export function secondsOf(time: Time | null | undefined): number {
  return whole(time?.seconds) + (time?.nanos ?? 0) / 1e9;
}

function instant(time: Time | null | undefined): Date | undefined {
  const seconds = secondsOf(time);
  return seconds === 0 ? undefined : new Date(seconds * 1000);
}

/** An activity of the engine's answer about a workflow. */
export function pendingActivity(found: RawActivity): PendingActivity {
  const lastHeartbeatAt = instant(found.lastHeartbeatTime);
  const lastStartedAt = instant(found.lastStartedTime);
  return {
    type: found.activityType?.name ?? '',
    state: ACTIVITY_STATES[found.state ?? 0] ?? 'scheduled',
    attempt: found.attempt ?? 0,
    ...(lastHeartbeatAt === undefined ? {} : { lastHeartbeatAt }),
    ...(lastStartedAt === undefined ? {} : { lastStartedAt }),
    ...(found.lastWorkerIdentity ? { lastWorker: found.lastWorkerIdentity } : {}),
  };
}

/** One side of the engine's answer about a task queue. */
export function queueSide({ pollers, stats }: RawQueue): TaskQueueSide {
  return {
    pollers: (pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastSeenAt: instant(lastAccessTime) ?? new Date(0),
    })),
    backlog: {
      tasks: whole(stats?.approximateBacklogCount),
      oldestSeconds: secondsOf(stats?.approximateBacklogAge),
      addedPerSecond: stats?.tasksAddRate ?? 0,
      dispatchedPerSecond: stats?.tasksDispatchRate ?? 0,
    },
  };
}
