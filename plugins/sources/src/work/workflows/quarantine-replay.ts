import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { SourceActivities } from '../activities.ts';

const { replayQuarantine } = proxyActivities<SourceActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 6 },
});

const { endRun } = slotlessActivities<SourceActivities>();

/** One replay of rejected lines: attempts until they are moved or cannot be, then the run ends. */
export async function QuarantineReplayWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => replayQuarantine(input),
    (outcome) => endRun(input, outcome),
  );
}
