import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Outcome } from '../failure/failure.ts';

/** What a run shows when its worker was lost, or an attempt took longer than it may. */
const WORKER_LOST: NonNullable<Outcome['failure']> = {
  code: 'worker_lost',
  origin: 'platform',
  retryable: true,
  detail: 'The worker that carried out the run was lost, or the run took too long.',
  hint: 'Start it again; it goes on from the last commit.',
};

/**
 * Carries out the work of a run and then ends the run, whatever happened, a cancellation included. Work that fails after
 * its run was cancelled, before it has heard of that, ends `cancelled` too.
 */
export async function withOutcome(work: () => Promise<void>, end: (outcome: Outcome) => Promise<void>): Promise<void> {
  let outcome: Outcome;
  try {
    await work();
    outcome = { status: 'succeeded' };
  } catch (error) {
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    outcome = isCancelled ? { status: 'cancelled' } : { status: 'failed', failure: failureIn(error) };
  }
  await CancellationScope.nonCancellable(() => end(outcome));
}

function failureIn(error: unknown): NonNullable<Outcome['failure']> {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const details = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return (details as Outcome['failure'] | undefined) ?? WORKER_LOST;
}
