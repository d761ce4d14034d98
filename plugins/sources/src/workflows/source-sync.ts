import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput, SourceActivities } from '../activities.ts';
import { withOutcome } from './run-outcome.ts';

const { readAndLoad } = proxyActivities<SourceActivities>({
  startToCloseTimeout: '24 hours',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 6 },
});

const { endSync } = proxyActivities<SourceActivities>({
  // By this alone it is noticed that the worker was lost meanwhile; a moment's work, and a run that ends within a minute.
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** One sync of a source: attempts until it is loaded or cannot be, then the run ends. */
export async function SourceSyncWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => readAndLoad(input),
    (outcome) => endSync(input, outcome),
  );
}
