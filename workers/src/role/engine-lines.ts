import { runOf } from './run-of.ts';

/** Words of the engine's client for what our own lines say by another name. */
const OUR_NAMES: Readonly<Record<string, string>> = {
  workflowId: 'workflow_id',
  workflowRunId: 'workflow_run_id',
  workflowType: 'workflow_type',
  activityId: 'activity_id',
  activityType: 'activity_type',
  taskQueue: 'task_queue',
  traceId: 'trace_id',
  error: 'err',
};

/** Whoever has it may answer for the activity. */
const TASK_TOKEN = /task_?token/i;

/** What a line of the engine's client tells, in the words of our own lines and without the token of the task. Pure. */
export function engineLine(meta: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const told = Object.entries(meta)
    .filter(([name]) => !TASK_TOKEN.test(name))
    .map(([name, value]) => [OUR_NAMES[name] ?? name, value] as const);
  const line: Record<string, unknown> = Object.fromEntries(told);
  const { run_id } = runOf(typeof line.workflow_id === 'string' ? line.workflow_id : undefined);
  return run_id === undefined ? line : { ...line, run_id };
}
