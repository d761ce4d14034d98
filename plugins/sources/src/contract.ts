export { credentialProblems } from './contract/credential-problems.ts';
export {
  CREDENTIAL_STATUSES,
  Credential,
  CredentialRef,
  CredentialValues,
  type CredentialView,
  credentialInput,
  detachCredentials,
  getCredentials,
  migrateCredentials,
  revokeCredential,
  rotateCredentials,
  setCredentials,
} from './contract/credentials.ts';
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
  PATTERN_STATUSES,
  Pattern,
  PatternChange,
  PatternField,
  PatternId,
  PatternSummary,
  type PatternView,
  reconcilePatterns,
  registerPattern,
  SIGNATURE_HEADERS,
} from './contract/patterns.ts';
export { sourceProblems } from './contract/problems.ts';
export {
  getReplay,
  ReplayOutcome,
  type ReplayOutcomeView,
  startReplay,
} from './contract/quarantine-replays.ts';
export { getSourceReadiness } from './contract/readiness.ts';
export {
  getSyncReceipt,
  RECEIPT_FORMAT,
  ReceiptStream,
  type ReceiptStreamView,
  SyncReceipt,
  type SyncReceiptView,
} from './contract/receipts.ts';
export {
  FieldChange,
  type FieldChangeView,
  MAX_STREAMS,
  RefreshDiff,
  type RefreshDiffView,
  refreshSchema,
  SnapshotStream,
  type SnapshotStreamBody,
} from './contract/refresh-schema.ts';
export { previewReset, ResetConsequence, type ResetConsequenceView, resetStream } from './contract/resets.ts';
export { downloadRunLogs, readRunLogs } from './contract/run-logs.ts';
export {
  deleteSchedule,
  FIRING_STATUSES,
  Firing,
  type FiringView,
  getSchedule,
  listSchedules,
  OVERLAPS,
  type Overlap,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  Schedule,
  type ScheduleView,
  triggerSchedule,
} from './contract/schedules.ts';
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
  BULK_ACTIONS,
  BulkResult,
  type BulkResultView,
  BulkStream,
  type BulkStreamBody,
  bulkStreams,
  createStream,
  deleteStream,
  MAX_BULK_STREAMS,
  NewStream,
  type NewStreamBody,
} from './contract/stream-writes.ts';
export {
  DiscoveredStream,
  type DiscoveredStreamView,
  getStream,
  listStreams,
  PartitionBy,
  type PartitionByView,
  SCHEMA_CHANGE_POLICIES,
  type SchemaChangePolicy,
  Stream,
  StreamFault,
  type StreamView,
  SYNC_MODES,
  type SyncMode,
  updateStream,
  WRITE_MODES,
  type WriteMode,
} from './contract/streams.ts';
export {
  cancelSync,
  getSyncRun,
  getSyncStats,
  listSyncRunStreams,
  listTableFormatRefs,
  MAX_STATS_RUNS,
  SyncStats,
  type SyncStatsView,
  TableFormatRef,
  type TableFormatRefView,
} from './contract/sync-runs.ts';
export {
  FIELD_CHANGES,
  FieldNote,
  type FieldNoteView,
  getSyncStatus,
  listSyncHistory,
  StreamRun,
  type StreamRunView,
  SYNC_PHASES,
  SyncRun,
  SyncRunDetail,
  type SyncRunDetailView,
  type SyncRunView,
  startSync,
  VERDICTS,
} from './contract/syncs.ts';
export {
  getVerification,
  SyncVerification,
  type SyncVerificationView,
  UNVERIFIABLE,
  VERIFICATION_FORMAT,
  VERIFICATION_VERDICTS,
  VERIFIED_FIGURES,
  type VerificationVerdict,
  VerifiedStream,
  type VerifiedStreamView,
  verifySync,
} from './contract/verifications.ts';
