import { runProblems } from '../contract/run-problems.ts';
import { TERMINAL_RUN_STATUSES } from '../contract/shapes.ts';
import type { Workflows } from '../workflows/workflows.ts';
import { workerOf } from './run-worker.ts';
import type { RunRecord } from './runs.ts';

export interface CancelDeps {
  workflows: Workflows;
  /** Absent for a run without a workflow. */
  queue: string | undefined;
  /** Makes the run `cancelled`; false when it has ended by itself. */
  end(): Promise<boolean>;
}

/** The open run in whose hands the work of a run is: of a part that its parent carries out, the parent. */
export async function carrierRun(
  run: RunRecord,
  find: (runId: string) => Promise<RunRecord | undefined>,
): Promise<RunRecord> {
  if (run.carriedBy !== 'parent' || run.parentRunId === undefined) return run;
  if (TERMINAL_RUN_STATUSES.includes(run.status)) return run;
  const parent = await find(run.parentRunId);
  return parent === undefined ? run : carrierRun(parent, find);
}

/**
 * Cancels an open run. A worker that has it is asked to end it; any other is ended here, with its workflow if it has one. Throws
 * `run_not_active`, and `dependency_unavailable` when the engine must be asked and is away.
 */
export async function cancelRun(run: RunRecord, deps: CancelDeps): Promise<'cancelling' | 'cancelled'> {
  if (TERMINAL_RUN_STATUSES.includes(run.status)) throw runProblems.runNotActive();
  if (deps.queue === undefined) {
    if (!(await deps.end())) throw runProblems.runNotActive();
    return 'cancelled';
  }
  const worker = await workerOf(deps.workflows, run, deps.queue);
  if (run.status !== 'pending' && worker?.state !== 'gone') {
    await deps.workflows.cancel(run.workflowId);
    return 'cancelling';
  }
  if (!(await deps.end())) throw runProblems.runNotActive();
  // The row is the truth: an engine that is away now finds the run ended when a worker begins it.
  await deps.workflows.terminate(run.workflowId, 'cancelled before a worker had it').catch(() => undefined);
  return 'cancelled';
}
