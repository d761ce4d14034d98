import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { NoteActivities, Outcome, RunInput } from '../activities.ts';

const { publish } = proxyActivities<NoteActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 5 },
});

const { end } = proxyActivities<NoteActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const PUBLISH_FAILED: NonNullable<Outcome['failure']> = {
  code: 'workflow_lost',
  origin: 'platform',
  retryable: true,
  detail: 'The note could not be published.',
  hint: 'Start it again.',
};

/** Publishes the note of a run and then ends the run, whatever happened. Once released, a change is a new file. */
export async function PublishNoteWorkflow(input: RunInput): Promise<void> {
  let outcome: Outcome;
  try {
    await publish(input);
    outcome = { status: 'succeeded' };
  } catch (error) {
    outcome = isCancellation(error) ? { status: 'cancelled' } : { status: 'failed', failure: failureIn(error) };
  }
  await CancellationScope.nonCancellable(() => end(input, outcome));
}

/** A failure that says what it is, such as that the plugin was switched off, is passed on. */
function failureIn(error: unknown): NonNullable<Outcome['failure']> {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const details = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return (details as Outcome['failure']) ?? PUBLISH_FAILED;
}
