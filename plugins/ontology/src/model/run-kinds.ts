import type { RunDeclaration } from '@weir/work';

/** Workflows have these too, so they are data and nothing else. */
const COMMON = {
  exclusive: true,
  exclusiveGroup: 'ontology-sync',
  subject: 'backing_dataset_id',
  times: { startToCloseTimeout: '24 hours', maximumAttempts: 10 },
} as const;

/** A sync of one backing dataset by contract 1, which is frozen. */
export const ONTOLOGY_SYNC = {
  kind: 'ontology-sync',
  workflowType: 'OntologySyncWorkflow',
  role: 'ontology-sync',
  ...COMMON,
} as const satisfies RunDeclaration;

/** A sync of one backing dataset by contract 2. */
export const ONTOLOGY_SYNC_V2 = {
  kind: 'ontology-sync-v2',
  workflowType: 'OntologySyncWorkflowV2',
  role: 'ontology-sync-v2',
  ...COMMON,
} as const satisfies RunDeclaration;
