export { ImageInspectionWorkflow } from './image-inspection.ts';
export { QuarantineReplayWorkflow } from './quarantine-replay.ts';
export { SourceDiscoveryWorkflow } from './source-discovery.ts';
export { SourceSyncWorkflow } from './source-sync.ts';
export { SyncVerifyWorkflow } from './sync-verify.ts';
