import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { DiscoveryActivities } from '../discovery-activities.ts';

const { inspectImage } = proxyActivities<DiscoveryActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds', maximumAttempts: 3 },
});

const { endInspection } = slotlessActivities<DiscoveryActivities>();

/** One look at a connector image: attempts until it has told its specification or cannot, then the run ends. */
export async function ImageInspectionWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => inspectImage(input),
    (outcome) => endInspection(input, outcome),
  );
}
