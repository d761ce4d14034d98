import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { SourceActivities } from '../activities.ts';

const { verifySync } = proxyActivities<SourceActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 3 },
});

const { endRun } = slotlessActivities<SourceActivities>();

/** One verification of a sync: attempts until its tables were read or cannot be, then the run ends. */
export async function SyncVerifyWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => verifySync(input),
    (outcome) => endRun(input, outcome),
  );
}
