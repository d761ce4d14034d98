import type { RunKind } from '@weir/kernel';

/** The worker role that carries out everything of this plugin. */
export const SOURCE_ROLE = 'source';

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
  role: SOURCE_ROLE,
  exclusive: true,
};
