import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { DiscoveryActivities } from '../discovery-activities.ts';

const { discover } = proxyActivities<DiscoveryActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds', maximumAttempts: 3 },
});

const { endDiscovery } = slotlessActivities<DiscoveryActivities>();

/** One discovery: attempts until the connector has described its streams or cannot, then the run ends. */
export async function SourceDiscoveryWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => discover(input),
    (outcome) => endDiscovery(input, outcome),
  );
}
