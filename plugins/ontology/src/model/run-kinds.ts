import type { RunDeclaration } from '@weir/work';

/** A sync of one backing dataset by contract 2. Its workflow has it too, so it is data and nothing else. */
export const ONTOLOGY_SYNC_V2 = {
  kind: 'ontology-sync-v2',
  workflowType: 'OntologySyncWorkflowV2',
  role: 'ontology-sync-v2',
  exclusive: true,
  exclusiveGroup: 'ontology-sync',
  subject: 'backing_dataset_id',
  times: { startToCloseTimeout: '24 hours', maximumAttempts: 10 },
} as const satisfies RunDeclaration;
