import { type Static, Type } from '@sinclair/typebox';
import { nextSteps } from '../contract/next-steps.ts';
import { runFacts, TERMINAL_RUN_STATUSES } from '../contract/shapes.ts';
import type { RunFailureRecord, RunRecord } from './runs.ts';

const RunFacts = Type.Object(runFacts);

/** A failure as the wire shows it; null when there is none. */
export function failureView(failure: RunFailureRecord | null | undefined): Static<typeof RunFacts>['failure'] {
  if (!failure) return null;
  const { next, ...facts } = failure;
  return { ...facts, hint: facts.hint ?? null, ...nextSteps(next, {}) };
}

/** The `runFacts` of a run. */
export function runView(run: RunRecord): Static<typeof RunFacts> {
  return {
    run_id: run.runId,
    workflow_id: run.workflowId,
    status: run.status,
    is_terminal: TERMINAL_RUN_STATUSES.includes(run.status),
    attempt: run.leaseEpoch,
    requested_by: run.requestedBy,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    failure: failureView(run.failure),
  };
}
