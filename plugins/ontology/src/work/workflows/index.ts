import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import { ONTOLOGY_SYNC_V2 } from '../../model/run-kinds.ts';
import type { SyncActivities } from '../../model/sync/activities.ts';

const { maximumAttempts, startToCloseTimeout } = ONTOLOGY_SYNC_V2.times;
const { sync_to_ontology_v2, emit_ontology_lineage_edge_v2 } = proxyActivities<SyncActivities>({
  startToCloseTimeout,
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts },
});
const { update_sync_status_v2 } = slotlessActivities<SyncActivities>();
/** Before syncs that wait for a slot: who changes the route waits for it. */
const { probe_ontology_worker_v2 } = proxyActivities<SyncActivities>({
  startToCloseTimeout: '10 seconds',
  priority: { priorityKey: 1 },
});

/** One sync of a backing dataset: its entities, then what is applied. */
export async function OntologySyncWorkflowV2(input: RunInput): Promise<void> {
  await withOutcome(
    async () => {
      await sync_to_ontology_v2(input);
      await emit_ontology_lineage_edge_v2(input);
    },
    (outcome) => update_sync_status_v2(input, outcome),
  );
}

/** Ends when a worker has carried out its activity; it is of no tenant and does no I/O. */
export async function OntologyProbeWorkflowV2(): Promise<void> {
  await probe_ontology_worker_v2();
}
