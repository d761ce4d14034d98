import { type Static, Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, OneOf, Page, Timestamp } from '@weir/kernel/contract';
import { readEngine } from './access.ts';
import {
  BACKLOG_VERDICTS,
  Backlog,
  MaybeScheduleToStart,
  PollerState,
  QueueStatus,
  queueName,
  TASK_TYPES,
} from './shapes.ts';

export const ENGINE_STATUSES = ['up', 'down'] as const;

/** `GET /workflow-engine/health` */
export const getEngineHealth = endpoint({
  id: 'workflow_engine.get_health',
  method: 'GET',
  path: '/workflow-engine/health',
  summary: 'Whether the workflow engine answers',
  access: readEngine,
  response: Type.Object({ status: OneOf(ENGINE_STATUSES), checked_at: Timestamp }),
});

/** One queue of the detailed health. */
export const QueueHealth = Type.Object({
  ...queueName,
  status: QueueStatus,
  workflow_poller: PollerState,
  activity_poller: PollerState,
  backlog: Type.Object({ verdict: OneOf(BACKLOG_VERDICTS), workflow: Backlog, activity: Backlog }),
  diagnostics: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }), {
    description: 'What is worth a look and is no fault by itself, such as activity_poller_missing',
  }),
});
export type QueueHealthView = Static<typeof QueueHealth>;

/** `GET /workflow-engine/health/detailed` */
export const getEngineHealthDetailed = endpoint({
  id: 'workflow_engine.get_health_detailed',
  method: 'GET',
  path: '/workflow-engine/health/detailed',
  summary: 'Whether each queue of the workflow engine is polled and drains',
  description:
    'status is up when the engine answers and every queue has a live workflow poller, degraded when one has none, down when the engine does not answer. A missing activity poller is a diagnostic only: there is none while all activity slots are busy. This is liveness, not proof that activities progress.',
  access: readEngine,
  response: Type.Object({
    status: OneOf(['up', 'degraded', 'down']),
    checked_at: Timestamp,
    server_version: Nullable(Type.String()),
    queues: Type.Array(QueueHealth),
  }),
});

/** `GET /workflow-engine/config` */
export const getEngineConfig = endpoint({
  id: 'workflow_engine.get_config',
  method: 'GET',
  path: '/workflow-engine/config',
  summary: 'Namespace, queues by role, retention and limits of the workflow engine',
  access: readEngine,
  response: Type.Object({
    namespace: Type.String(),
    server_version: Type.String(),
    retention_seconds: Type.Number({ description: 'How long histories of ended workflows are kept' }),
    queues: Type.Array(Type.Object(queueName)),
    limits: Type.Object({
      wait_seconds: Type.Integer({ description: 'Longest wait of one request' }),
      waits: Type.Integer({ description: 'Waits that one API process holds at once' }),
      poller_live_seconds: Type.Integer({ description: 'A poller that was seen longer ago counts as gone' }),
      snapshot_age_seconds: Type.Integer({ description: 'How old the figures of a queue may be' }),
    }),
  }),
  errors: [kernelProblems.dependencyUnavailable],
});

/** The figures of one queue. */
export const QueueMetrics = Type.Object({
  ...queueName,
  backlog: Type.Object({ workflow: Backlog, activity: Backlog }),
  schedule_to_start: MaybeScheduleToStart,
});
export type QueueMetricsView = Static<typeof QueueMetrics>;

/** `GET /workflow-engine/metrics` */
export const getEngineMetrics = endpoint({
  id: 'workflow_engine.get_metrics',
  method: 'GET',
  path: '/workflow-engine/metrics',
  summary: 'Backlog, rates and schedule-to-start times of each queue, as JSON',
  access: readEngine,
  response: Type.Object({ checked_at: Timestamp, queues: Type.Array(QueueMetrics) }),
  errors: [kernelProblems.dependencyUnavailable],
});

/** One worker process as the engine has seen it on one queue. */
export const EngineWorker = Type.Object({
  identity: Type.String({
    description: '<role>@<release>:<nonce> of a worker of ours; foreign:<digest> of any other, whose name is not told',
  }),
  ...queueName,
  task_types: Type.Array(OneOf(TASK_TYPES)),
  last_seen_at: Timestamp,
  live: Type.Boolean(),
});
export type EngineWorkerView = Static<typeof EngineWorker>;

/** `GET /workflow-engine/workers` */
export const listEngineWorkers = endpoint({
  id: 'workflow_engine.list_workers',
  method: 'GET',
  path: '/workflow-engine/workers',
  summary: 'List the workers that poll the queues, with when each was last seen',
  description: 'The engine forgets a worker that vanished after five minutes, and one that ended well at once.',
  access: readEngine,
  response: Page(EngineWorker),
  errors: [kernelProblems.dependencyUnavailable],
  cli: { words: 'ops workers', columns: ['identity', 'role', 'queue', 'task_types', 'last_seen_at', 'live'] },
});

/** One task queue. */
export const TaskQueue = Type.Object({
  ...queueName,
  backlog: Backlog,
  pollers: Type.Object({ workflow: Type.Integer(), activity: Type.Integer() }, { description: 'Live ones' }),
  last_seen_at: Nullable(Timestamp),
  schedule_to_start: MaybeScheduleToStart,
});
export type TaskQueueView = Static<typeof TaskQueue>;

/** `GET /workflow-engine/task-queues` */
export const listTaskQueues = endpoint({
  id: 'workflow_engine.list_task_queues',
  method: 'GET',
  path: '/workflow-engine/task-queues',
  summary: 'List the task queues with backlog, pollers and schedule-to-start times',
  access: readEngine,
  response: Page(TaskQueue),
  errors: [kernelProblems.dependencyUnavailable],
  cli: 'ops queues',
});
