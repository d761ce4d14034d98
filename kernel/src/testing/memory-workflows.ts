import { kernelProblems } from '../contract/problems.ts';
import type { StartRequest, TaskQueueSide, WorkflowDescription, Workflows } from '../workflows/workflows.ts';

/** The engine's port in memory, with what a test may look at and turn. */
export interface MemoryWorkflows extends Workflows {
  started: StartRequest[];
  cancelled: string[];
  terminated: string[];
  /** Fails every call while true. */
  down: boolean;
  /** When a worker was last seen on any queue; undefined = never. */
  polledAt: Date | undefined;
  /** Replaces what is said of a workflow. */
  said: Map<string, Partial<WorkflowDescription>>;
}

/** The workflow engine's port in memory: remembers what was started, with a worker on every queue unless told otherwise. */
export function memoryWorkflows(): MemoryWorkflows {
  const known = (workflowId: string) => {
    if (port.down) throw new Error('the engine is down');
    return port.started.find((request) => request.workflowId === workflowId);
  };
  const side = (): TaskQueueSide => ({
    pollers: port.polledAt === undefined ? [] : [{ identity: 'memory', lastSeenAt: port.polledAt }],
    backlog: { tasks: 0, oldestSeconds: 0, addedPerSecond: 0, dispatchedPerSecond: 0 },
  });
  const port: MemoryWorkflows = {
    started: [],
    cancelled: [],
    terminated: [],
    down: false,
    polledAt: new Date(),
    said: new Map(),
    async start(request) {
      if (!known(request.workflowId)) port.started.push(request);
    },
    async cancel(workflowId) {
      if (known(workflowId)) port.cancelled.push(workflowId);
    },
    async terminate(workflowId) {
      if (known(workflowId)) port.terminated.push(workflowId);
    },
    async describe(workflowId) {
      const request = known(workflowId);
      if (request === undefined) return undefined;
      const { type, taskQueue } = request;
      const ended = port.terminated.includes(workflowId) ? { status: 'terminated' as const } : {};
      return {
        ...{ status: 'running' as const, type, taskQueue, startedAt: new Date(), historyLength: 2 },
        pendingActivities: [],
        ...ended,
        ...port.said.get(workflowId),
      };
    },
    async describeQueue() {
      if (port.down) throw new Error('the engine is down');
      return { workflow: side(), activity: side() };
    },
    engine: async () => ({ serverVersion: 'memory', namespace: 'memory', retentionSeconds: 86_400 }),
    withClient: async () => Promise.reject(kernelProblems.dependencyUnavailable()),
    health: async () => !port.down,
    close: async () => undefined,
  };
  return port;
}
