import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  kernelProblems,
  Nullable,
  OneOf,
  RunWorker,
  runFacts,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { readWorkflows, writeWorkflows } from './access.ts';

/** The longest that one request may wait, in seconds, and how long it waits unless told. */
export const MAX_WAIT_SECONDS = 60;
export const DEFAULT_WAIT_SECONDS = 30;

const params = Closed({
  workflow_id: Type.String({ minLength: 1, description: 'Workflow id or run id, as the start answered them' }),
});

/** A run of any kind, as the workflow routes show it. */
export const WorkflowRun = Type.Object({
  ...runFacts,
  kind: Type.String({ description: 'What is done, such as source-sync' }),
  subject_id: Id,
});
export type WorkflowRunView = Static<typeof WorkflowRun>;

/** An activity that a workflow waits for; its payloads are never shown. */
export const PendingActivity = Type.Object({
  type: Type.String(),
  state: OneOf(['scheduled', 'started', 'cancel_requested', 'paused']),
  attempt: Type.Integer(),
  last_started_at: Nullable(Timestamp),
  last_heartbeat_at: Nullable(Timestamp),
});

/** A workflow as the engine knows it. */
export const EngineWorkflow = Type.Object({
  status: OneOf(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed_out']),
  type: Type.String(),
  started_at: Timestamp,
  closed_at: Nullable(Timestamp),
  history_length: Type.Integer(),
  pending_activities: Type.Array(PendingActivity),
});

/** `GET /workflow-engine/workflows/{workflow_id}` */
export const getWorkflow = endpoint({
  id: 'workflow_engine.get_workflow',
  method: 'GET',
  path: '/workflow-engine/workflows/:workflow_id',
  summary: 'Read a workflow of the tenant: its run, what the engine knows of it, and its worker',
  access: readWorkflows,
  params,
  response: Type.Object({
    ...WorkflowRun.properties,
    engine_reachable: Type.Boolean(),
    engine: Nullable(EngineWorkflow),
    worker: Nullable(RunWorker),
  }),
  errors: [kernelProblems.notFound],
});

/** `POST /workflow-engine/workflows/{workflow_id}/cancel` */
export const cancelWorkflow = endpoint({
  id: 'workflow_engine.cancel_workflow',
  method: 'POST',
  path: '/workflow-engine/workflows/:workflow_id/cancel',
  summary: 'Cancel a workflow of the tenant',
  description:
    'cancelled: the run has ended, because no worker had it. cancelling: its worker was asked to end it; a second request changes nothing. Committed data stays.',
  access: writeWorkflows,
  params,
  response: Type.Object({ run_id: Id, workflow_id: Type.String(), state: OneOf(['cancelling', 'cancelled']) }),
  status: 202,
  location: '/workflow-engine/workflows/:workflow_id',
  errors: [kernelProblems.notFound, runProblems.runNotActive, kernelProblems.dependencyUnavailable],
});

/** `POST /workflow-engine/workflows/{workflow_id}/wait` */
export const waitForWorkflow = endpoint({
  id: 'workflow_engine.wait_for_workflow',
  method: 'POST',
  path: '/workflow-engine/workflows/:workflow_id/wait',
  summary: 'Wait until a workflow of the tenant has ended, or the time is over',
  description: 'Ends at any terminal status. When the time is over first, is_terminal is false; ask again.',
  access: writeWorkflows,
  params,
  body: Closed({
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_WAIT_SECONDS, default: DEFAULT_WAIT_SECONDS }),
    ),
  }),
  example: { timeout_seconds: 10 },
  response: WorkflowRun,
  errors: [kernelProblems.notFound, kernelProblems.dependencyUnavailable],
});
