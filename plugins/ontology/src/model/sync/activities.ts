import type { Outcome, RunInput } from '@weir/work';

/** The activities of role `ontology-sync-v2`. Each may be carried out more than once. */
export interface SyncActivities {
  /** Brings the entities in step with the table. */
  sync_to_ontology_v2(input: RunInput): Promise<void>;
  /** Notes what was read and filled, and ends the run: what is applied moves with it. */
  emit_ontology_lineage_edge_v2(input: RunInput): Promise<void>;
  /** Ends a run that did not succeed, and logs the end of any. */
  update_sync_status_v2(input: RunInput, outcome: Outcome): Promise<void>;
}
