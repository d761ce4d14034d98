export { SourceDiscoveryWorkflow } from './source-discovery.ts';
export { SourceSyncWorkflow } from './source-sync.ts';
