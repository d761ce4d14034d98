import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import type { MaintenanceActivities } from '../../model/maintenance-activities.ts';
import { TABLE_MAINTENANCE } from '../../model/run-kinds.ts';

const { maximumAttempts, startToCloseTimeout } = TABLE_MAINTENANCE.times;
const { planTable, rewriteBins, dropSnapshots, removeOrphans } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout,
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts },
});
const { endMaintenance } = slotlessActivities<MaintenanceActivities>();

/** The maintenance of one table: what is due of what was asked for, each action on the table as it is then. */
export async function MaintainTableWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    async () => {
      const actions = await planTable(input);
      if (actions.includes('compact') || actions.includes('manifests')) await rewriteBins(input);
      if (actions.includes('expire')) await dropSnapshots(input);
      if (actions.includes('orphans')) await removeOrphans(input);
    },
    (outcome) => endMaintenance(input, outcome),
  );
}
