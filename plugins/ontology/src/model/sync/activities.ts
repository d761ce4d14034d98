import type { Outcome, RunInput } from '@weir/work';

/** The activities of role `ontology-sync-v2`. Each may be carried out more than once. */
export interface SyncActivities {
  /** Brings the entities in step with the table. */
  sync_to_ontology_v2(input: RunInput): Promise<void>;
  /** Notes what was read and filled, and ends the run: what is applied moves with it. */
  emit_ontology_lineage_edge_v2(input: RunInput): Promise<void>;
  /** Ends a run that did not succeed, and logs the end of any. */
  update_sync_status_v2(input: RunInput, outcome: Outcome): Promise<void>;
  /** Does nothing, so that its end shows a worker that carries out activities. */
  probe_ontology_worker_v2(): Promise<void>;
}

/** The activities of role `ontology-sync`: those of contract 1, which are the same, and the reconciliation of a tenant. */
export interface SyncActivitiesV1 {
  sync_to_ontology(input: RunInput): Promise<void>;
  emit_ontology_lineage_edge(input: RunInput): Promise<void>;
  update_sync_status(input: RunInput, outcome: Outcome): Promise<void>;
  probe_ontology_worker(): Promise<void>;
  /** Starts the pending syncs of a tenant that nothing has started. */
  reconcile_ontology_syncs(input: { tenant_id: string }): Promise<void>;
}
