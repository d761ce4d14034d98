import type { RunKind } from '@weir/kernel';

/** The worker role that reads sources and writes their tables. */
export const SOURCE_ROLE = 'source';

/** The worker role that asks sources what they have; it never writes a table. */
export const DISCOVERY_ROLE = 'discovery';

/** A sync of one source; at most one at a time. */
export const SYNC_KIND: RunKind = {
  kind: 'source-sync',
  workflowType: 'SourceSyncWorkflow',
  role: SOURCE_ROLE,
  exclusive: true,
};

/** A check of what one sync has written; it changes nothing, so any number may run. */
export const VERIFY_KIND: RunKind = {
  kind: 'sync_verify',
  workflowType: 'SyncVerifyWorkflow',
  role: SOURCE_ROLE,
  exclusive: false,
};

/** Another try of rejected lines of one source; at most one at a time. */
export const REPLAY_KIND: RunKind = {
  kind: 'quarantine_replay',
  workflowType: 'QuarantineReplayWorkflow',
  role: SOURCE_ROLE,
  exclusive: true,
};

/** A discovery of one source, or of a configuration that is no source yet; at most one at a time for each. */
export const DISCOVERY_KIND: RunKind = {
  kind: 'source-discovery',
  workflowType: 'SourceDiscoveryWorkflow',
  role: DISCOVERY_ROLE,
  exclusive: true,
};

/** A look at a connector image, before a pattern is made of it; at most one at a time for each tenant. */
export const INSPECTION_KIND: RunKind = {
  kind: 'image-inspection',
  workflowType: 'ImageInspectionWorkflow',
  role: DISCOVERY_ROLE,
  exclusive: true,
};
