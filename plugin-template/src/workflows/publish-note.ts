import { proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { NoteActivities } from '../activities.ts';

const { publish } = proxyActivities<NoteActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 5 },
});

const { end } = slotlessActivities<NoteActivities>();

/** Publishes the note of a run and then ends the run, whatever happened. Once released, a change is a new file. */
export async function PublishNoteWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => publish(input),
    (outcome) => end(input, outcome),
  );
}
