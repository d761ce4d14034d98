import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { TaskQueueDescription, WorkflowEngineService } from '@weir/kernel';
import type { ProbeFacts } from '../../model/route/judge-queue.ts';

const LOOK_EVERY_MS = 100;
/** A worker with a free slot takes a probe at once. */
const PROBE_MS = 15_000;

/** The workflow engine as a change of the route looks at it. */
export interface RouteEngine {
  queueOf(role: string): string;
  describeQueue(taskQueue: string): Promise<TaskQueueDescription>;
  /** Starts a workflow that does nothing and looks for a while whether it ends; one that does not is terminated. */
  probe(workflowType: string, taskQueue: string): Promise<ProbeFacts>;
  /** Open executions of a type on a queue. */
  countOpen(workflowType: string, taskQueue: string): Promise<number>;
}

/** The port over the engine of the deployment; it throws `dependency_unavailable` when that is away. */
export function routeEngine(engine: WorkflowEngineService): RouteEngine {
  const { withClient } = engine;
  const ended = async (workflowId: string): ReturnType<WorkflowEngineService['describe']> => {
    const deadline = performance.now() + PROBE_MS;
    for (;;) {
      const seen = await engine.describe(workflowId);
      if (seen?.status !== 'running' || performance.now() > deadline) return seen;
      await setTimeout(LOOK_EVERY_MS);
    }
  };
  return {
    queueOf(role) {
      const queue = engine.queues().find((known) => known.role === role)?.queue;
      if (queue === undefined) throw new Error(`no plugin takes work of the role ${role}`);
      return queue;
    },

    describeQueue: (taskQueue) => engine.describeQueue(taskQueue),

    async probe(workflowType, taskQueue) {
      const workflowId = `ontology-probe:${randomUUID()}`;
      const options = { workflowId, taskQueue, workflowExecutionTimeout: '1 minute', priority: { priorityKey: 1 } };
      await withClient(({ workflow }) => workflow.start(workflowType, { ...options, args: [] }));
      const seen = await ended(workflowId);
      if (seen?.status === 'running') await engine.terminate(workflowId, 'no worker has carried it out in time');
      const by = await withClient(async ({ workflow }) =>
        workersIn(await workflow.getHandle(workflowId).fetchHistory()),
      );
      return { workflowType, workflowId, status: seen?.status ?? 'running', endedAt: seen?.closedAt, ...by };
    },

    countOpen: (workflowType, taskQueue) =>
      withClient(async ({ workflow }) => {
        const isOpen = `WorkflowType = '${workflowType}' and TaskQueue = '${taskQueue}' and ExecutionStatus = 'Running'`;
        return (await workflow.count(isOpen)).count;
      }),
  };
}

interface HistoryEvents {
  events?:
    | {
        workflowTaskCompletedEventAttributes?: { identity?: string | null } | null;
        activityTaskStartedEventAttributes?: { identity?: string | null } | null;
      }[]
    | null;
}

/** Who carried out the last task of a workflow, and who its last activity. */
function workersIn({ events }: HistoryEvents): Pick<ProbeFacts, 'workflowBy' | 'activityBy'> {
  const tasks = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: done }) => done?.identity ?? []);
  const activities = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: begun }) => begun?.identity ?? []);
  return { workflowBy: tasks.at(-1), activityBy: activities.at(-1) };
}
