import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, untilDone, withOutcome } from '@weir/work/workflow';
import { SOURCE_FAILURES } from '../../contract/failures.ts';
import type { SourceActivities } from '../activities.ts';

const { readAndLoad } = proxyActivities<SourceActivities>({
  // Longer than a connector may take all in all: one that takes longer is ended by its own deadline, with its code.
  startToCloseTimeout: '6 days',
  // All attempts together. How many there are is decided by the attempts themselves, which know what was committed.
  scheduleToCloseTimeout: '12 days',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const { endSync } = slotlessActivities<SourceActivities>();

const NO_LANE = { code: 'no_lane', ...SOURCE_FAILURES.no_lane };

/**
 * One sync of a source: waits for its turn, then attempts for as long as they get on, until it is loaded or cannot be, then the
 * run ends.
 */
export async function SourceSyncWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    () => untilDone(() => readAndLoad(input), NO_LANE),
    (outcome) => endSync(input, outcome),
  );
}
