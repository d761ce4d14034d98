import type { Client } from '@weir/workflow-client';

/** An activity that a workflow waits for, as the engine sees it. */
export interface PendingActivity {
  type: string;
  state: 'scheduled' | 'started' | 'cancel_requested' | 'paused';
  attempt: number;
  lastHeartbeatAt?: Date | undefined;
  lastStartedAt?: Date | undefined;
  /** Identity of the worker that had it last. */
  lastWorker?: string | undefined;
}

/** What the engine says of a workflow. */
export interface WorkflowDescription {
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out';
  type: string;
  taskQueue: string;
  startedAt: Date;
  closedAt?: Date;
  historyLength: number;
  pendingActivities: readonly PendingActivity[];
}

export interface StartRequest {
  workflowId: string;
  type: string;
  taskQueue: string;
  args: unknown[];
  /** Whose work it is: an engine that knows fairness gives each key its turn. At most 64 bytes. */
  fairnessKey?: string;
}

/** Who polls a queue; a worker that died stays listed for five minutes, so `lastSeenAt` decides. */
export interface Poller {
  identity: string;
  lastSeenAt: Date;
}

/** One kind of task of a queue. */
export interface TaskQueueSide {
  pollers: readonly Poller[];
  /** Tasks that wait, about; `oldestSeconds` is how long the first has waited. */
  backlog: { tasks: number; oldestSeconds: number; addedPerSecond: number; dispatchedPerSecond: number };
}

/** A task queue as the engine sees it now. */
export interface TaskQueueDescription {
  workflow: TaskQueueSide;
  activity: TaskQueueSide;
}

/** The engine as a whole. */
export interface EngineDescription {
  serverVersion: string;
  namespace: string;
  /** How long the histories of ended workflows are kept. */
  retentionSeconds: number;
}

/** The workflow engine as the platform uses it. Inputs carry ids only. Calls are bounded in time. */
export interface Workflows {
  /** Starts a workflow; one that was started under this id before counts as started. */
  start(request: StartRequest): Promise<void>;
  /** Asks a workflow to end; one that is unknown or has ended stays as it is. */
  cancel(workflowId: string): Promise<void>;
  /** Ends a workflow without asking it; one that is unknown or has ended stays as it is. */
  terminate(workflowId: string, reason: string): Promise<void>;
  /** Undefined when the engine knows no such workflow. */
  describe(workflowId: string): Promise<WorkflowDescription | undefined>;
  describeQueue(taskQueue: string): Promise<TaskQueueDescription>;
  engine(): Promise<EngineDescription>;
  /** Work with the client of the engine itself, for what has no name here; throws `dependency_unavailable` when it is away. */
  withClient<T>(work: (client: Client) => Promise<T>): Promise<T>;
  health(): Promise<boolean>;
  close(): Promise<void>;
}

/** A poll is held open for a minute; one that began longer ago belongs to a worker that is gone. */
export const POLLER_LIVE_MS = 70_000;
export const isLive = ({ lastSeenAt }: Poller, now: number) => now - lastSeenAt.getTime() <= POLLER_LIVE_MS;

/** Whether a worker polls for workflow tasks of a queue. Activity pollers are absent while all slots are busy. */
export function hasLivePoller({ workflow }: TaskQueueDescription, now = Date.now()): boolean {
  return workflow.pollers.some((poller) => isLive(poller, now));
}

/** When a worker was last seen on a queue, as far as the engine remembers. */
export function lastSeen({ workflow, activity }: TaskQueueDescription): Date | undefined {
  const times = [...workflow.pollers, ...activity.pollers].map(({ lastSeenAt }) => lastSeenAt.getTime());
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}
