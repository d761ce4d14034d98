import { runWorkflow } from '@weir/work/workflow';
import { DISCOVERY_KIND, INSPECTION_KIND, REPLAY_KIND, SYNC_KIND, VERIFY_KIND } from '../../model/run-kinds.ts';

export const ImageInspectionWorkflow = runWorkflow(INSPECTION_KIND);
export const QuarantineReplayWorkflow = runWorkflow(REPLAY_KIND);
export const SourceDiscoveryWorkflow = runWorkflow(DISCOVERY_KIND);
export const SourceSyncWorkflow = runWorkflow(SYNC_KIND);
export const SyncVerifyWorkflow = runWorkflow(VERIFY_KIND);
