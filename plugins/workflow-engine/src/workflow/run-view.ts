import type { RunRecord } from '@weir/kernel';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import type { WorkflowRunView } from '../contract.ts';

/** A run of any kind as the workflow routes show it. */
export function runView(run: RunRecord): WorkflowRunView {
  const { hint = null, ...failure } = run.failure ?? {};
  return {
    run_id: run.runId,
    workflow_id: run.workflowId,
    kind: run.kind,
    subject_id: run.subjectId,
    status: run.status,
    is_terminal: TERMINAL_RUN_STATUSES.includes(run.status),
    attempt: run.leaseEpoch,
    requested_by: run.requestedBy,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    failure: run.failure === undefined ? null : { ...(failure as Required<RunRecord>['failure']), hint },
  };
}
