export {
  DiscoveryStatus,
  type DiscoveryStatusView,
  getDiscoveryStatus,
  startDiscovery,
} from './contract/discovery.ts';
export { failureProblems, SOURCE_FAILURES, type SourceFailureCode } from './contract/failures.ts';
export {
  discoverPatterns,
  getPattern,
  Pattern,
  PatternField,
  PatternId,
  PatternSummary,
  type PatternView,
} from './contract/patterns.ts';
export { sourceProblems } from './contract/problems.ts';
export {
  createSource,
  deleteSource,
  getSource,
  listSources,
  SOURCE_STATUSES,
  Source,
  SourceConfig,
  type SourceStatus,
  type SourceView,
  updateSource,
} from './contract/sources.ts';
export {
  DiscoveredStream,
  type DiscoveredStreamView,
  listStreams,
  Stream,
  type StreamView,
  SYNC_MODES,
  type SyncMode,
  updateStream,
  WRITE_MODES,
  type WriteMode,
} from './contract/streams.ts';
export {
  getSyncStatus,
  listSyncHistory,
  StreamRun,
  SYNC_PHASES,
  SyncRun,
  SyncRunDetail,
  type SyncRunDetailView,
  type SyncRunView,
  startSync,
  VERDICTS,
} from './contract/syncs.ts';
