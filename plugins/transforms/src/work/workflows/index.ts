import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, untilDone, withOutcome } from '@weir/work/workflow';
import { TRANSFORM_FAILURES } from '../../model/failure/failure-table.ts';
import type { TransformActivities } from '../activities.ts';

const { carryOut } = proxyActivities<TransformActivities>({
  // Longer than a statement may take: one that takes longer is ended by its own deadline, with its code.
  startToCloseTimeout: '2 days',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 10 },
});

const { partOf, endMaterialization } = slotlessActivities<TransformActivities>();

/** What a run shows that waited for a lane for more than a day. */
const NO_LANE = { code: 'no_lane', ...TRANSFORM_FAILURES.no_lane };

/** One materialization: its part waits for its turn, then has attempts until its output is committed or cannot be. */
export async function MaterializationWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    async () => {
      const part = await partOf(input);
      if (part !== null) await untilDone(() => carryOut(part), NO_LANE);
    },
    (outcome) => endMaterialization(input, outcome),
  );
}
