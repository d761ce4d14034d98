export {
  EngineWorker,
  type EngineWorkerView,
  getEngineConfig,
  getEngineHealth,
  getEngineHealthDetailed,
  getEngineMetrics,
  listEngineWorkers,
  listTaskQueues,
  QueueHealth,
  type QueueHealthView,
  QueueMetrics,
  type QueueMetricsView,
  TaskQueue,
  type TaskQueueView,
} from './contract/engine.ts';
export { workflowEngineProblems } from './contract/problems.ts';
export {
  ClockChange,
  type ClockChangeView,
  DEFAULT_CATCHUP_SECONDS,
  type EngineSchedule,
  NextRun,
  type NextRunView,
  Schedules,
  type SchedulesService,
  ScheduleTimes,
  type ScheduleTimesBody,
  type ScheduleTimesView,
  scheduleTimes,
} from './contract/schedules.ts';
export {
  BACKLOG_VERDICTS,
  Backlog,
  PollerState,
  QUEUE_STATUSES,
  ScheduleToStart,
  TASK_TYPES,
  type TaskType,
} from './contract/shapes.ts';
export {
  type AskedStart,
  startWorkflow,
  WORKFLOW_STARTS,
  type WorkflowStart,
  type WorkflowStartName,
  WorkflowStarts,
} from './contract/starts.ts';
export { readWorkerIdentity, releaseInIdentity } from './contract/worker-identity.ts';
export {
  cancelWorkflow,
  DEFAULT_WAIT_SECONDS,
  EngineWorkflow,
  getWorkflow,
  MAX_WAIT_SECONDS,
  PendingActivity,
  WorkflowRun,
  type WorkflowRunView,
  waitForWorkflow,
} from './contract/workflows.ts';
