import type { RunDeclaration } from '@weir/work';
import { SOURCE_FAILURES } from '../contract/failures.ts';

/** The worker role that reads sources and writes their tables. */
export const SOURCE_ROLE = 'source';

/** The worker role that asks sources what they have; it never writes a table. */
export const DISCOVERY_ROLE = 'discovery';

/** A sync of one source; at most one at a time. Its attempts decide how many there are: they know what was committed. */
export const SYNC_KIND: RunDeclaration = {
  kind: 'source-sync',
  workflowType: 'SourceSyncWorkflow',
  role: SOURCE_ROLE,
  exclusive: true,
  subject: 'source_id',
  lane: { setting: 'WEIR_SYNC_LANES_PER_TENANT', missed: { code: 'no_lane', ...SOURCE_FAILURES.no_lane } },
  // Longer than a connector may take all in all: one that takes longer is ended by its own deadline, with its code.
  times: { startToCloseTimeout: '6 days', scheduleToCloseTimeout: '12 days' },
};

/** A check of what one sync has written; it changes nothing, so any number may run. */
export const VERIFY_KIND: RunDeclaration = {
  kind: 'sync_verify',
  workflowType: 'SyncVerifyWorkflow',
  role: SOURCE_ROLE,
  exclusive: false,
  subject: 'source_id',
  times: { startToCloseTimeout: '6 hours', maximumAttempts: 3 },
};

/** Another try of rejected lines of one source; at most one at a time. */
export const REPLAY_KIND: RunDeclaration = {
  kind: 'quarantine_replay',
  workflowType: 'QuarantineReplayWorkflow',
  role: SOURCE_ROLE,
  exclusive: true,
  subject: 'source_id',
  times: { startToCloseTimeout: '6 hours', maximumAttempts: 6 },
};

/** A discovery of one source, or of a configuration that is no source yet; at most one at a time for each. */
export const DISCOVERY_KIND: RunDeclaration = {
  kind: 'source-discovery',
  workflowType: 'SourceDiscoveryWorkflow',
  role: DISCOVERY_ROLE,
  exclusive: true,
  times: { startToCloseTimeout: '1 hour', maximumAttempts: 3 },
};

/** A look at a connector image, before a pattern is made of it; at most one at a time for each tenant. */
export const INSPECTION_KIND: RunDeclaration = {
  kind: 'image-inspection',
  workflowType: 'ImageInspectionWorkflow',
  role: DISCOVERY_ROLE,
  exclusive: true,
  times: { startToCloseTimeout: '1 hour', maximumAttempts: 3 },
};
