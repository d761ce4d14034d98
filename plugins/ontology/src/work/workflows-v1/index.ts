import { ActivityCancellationType, ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type { RunInput } from '@weir/work';
import { slotlessActivities, withOutcome } from '@weir/work/workflow';
import { ONTOLOGY_SYNC } from '../../model/run-kinds.ts';
import type { SyncActivitiesV1 } from '../../model/sync/activities.ts';

const { maximumAttempts, startToCloseTimeout } = ONTOLOGY_SYNC.times;
const { sync_to_ontology, emit_ontology_lineage_edge } = proxyActivities<SyncActivitiesV1>({
  startToCloseTimeout,
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts },
});
const { update_sync_status } = slotlessActivities<SyncActivitiesV1>();
const { reconcile_ontology_syncs } = proxyActivities<SyncActivitiesV1>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '30 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 5 },
});
/** Before syncs that wait for a slot: who changes the route waits for it. */
const { probe_ontology_worker } = proxyActivities<SyncActivitiesV1>({
  startToCloseTimeout: '10 seconds',
  priority: { priorityKey: 1 },
});

/** One sync of a backing dataset by contract 1: its entities, then what is applied. */
export async function OntologySyncWorkflow(input: RunInput): Promise<void> {
  await withOutcome(
    async () => {
      await sync_to_ontology(input);
      await emit_ontology_lineage_edge(input);
    },
    (outcome) => update_sync_status(input, outcome),
  );
}

/** One look at the pending syncs of a tenant. The next one makes good what fails. */
export async function OntologyReconcileWorkflow(input: { tenant_id: string }): Promise<void> {
  try {
    await reconcile_ontology_syncs(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
  }
}

/** Ends when a worker has carried out its activity; it is of no tenant and does no I/O. */
export async function OntologyProbeWorkflow(): Promise<void> {
  await probe_ontology_worker();
}
