import { ONTOLOGY_SYNC, ONTOLOGY_SYNC_V2 } from '../run-kinds.ts';

/** Workflows of contract 1 that carry out no run. */
export const RECONCILE_WORKFLOW = 'OntologyReconcileWorkflow';

/** The contracts of syncs: each has workflows, a queue and workers of its own. */
export const SYNC_CONTRACTS = [
  { contract: 1, run: ONTOLOGY_SYNC, probe: 'OntologyProbeWorkflow', others: [RECONCILE_WORKFLOW] },
  { contract: 2, run: ONTOLOGY_SYNC_V2, probe: 'OntologyProbeWorkflowV2', others: [] },
] as const;
export type SyncContract = (typeof SYNC_CONTRACTS)[number];

/** The contract of this number; of one that this release does not have, none. */
export const syncContract = (contract: number): SyncContract | undefined =>
  SYNC_CONTRACTS.find((known) => known.contract === contract);
