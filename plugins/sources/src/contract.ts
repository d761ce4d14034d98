export { credentialProblems } from './contract/credential-problems.ts';
export {
  DISCOVERY_PHASES,
  type DiscoveryPhase,
  DiscoveryStatus,
  type DiscoveryStatusView,
  getDiscoveryStatus,
  startDiscovery,
} from './contract/discovery/discovery.ts';
export {
  LookNote,
  type LookNoteView,
  readDiscoveryLooks,
  StreamLook,
  type StreamLookView,
} from './contract/discovery/looks.ts';
export {
  downloadDiscoveryLogs,
  downloadRunLogs,
  readDiscoveryLogs,
  readRunLogs,
} from './contract/discovery/run-logs.ts';
export { SOURCE_FAILURES, type SourceFailureCode } from './contract/failures.ts';
export { inspectionProblems } from './contract/inspection/inspection-problems.ts';
export {
  getInspection,
  Inspection,
  type InspectionView,
  inspectImage,
  LAPTOP_LINES,
  registerInspected,
} from './contract/inspection/inspections.ts';
export { sourceProblems } from './contract/problems.ts';
export { getSourceReadiness } from './contract/readiness.ts';
export {
  deleteSchedule,
  getSchedule,
  listSchedules,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  Schedule,
  type ScheduleView,
  sourceSchedules,
  triggerSchedule,
} from './contract/schedules.ts';
export {
  CREDENTIAL_STATUSES,
  Credential,
  CredentialRef,
  CredentialValues,
  type CredentialView,
  credentialInput,
  detachCredentials,
  getCredentials,
  listCredentials,
  migrateCredentials,
  revokeCredential,
  rotateCredentials,
  setCredentials,
} from './contract/source/credentials.ts';
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
} from './contract/source/patterns.ts';
export {
  createSource,
  deleteSource,
  getSource,
  listSources,
  SCHEDULED,
  SOURCE_STATUSES,
  Source,
  SourceConfig,
  type SourceStatus,
  type SourceView,
  updateSource,
} from './contract/source/sources.ts';
export { DiscoveryWarning, type DiscoveryWarningView } from './contract/stream/discovery-warning.ts';
export {
  FieldChange,
  type FieldChangeView,
  MAX_STREAMS,
  RefreshDiff,
  type RefreshDiffView,
  refreshSchema,
  SnapshotStream,
  type SnapshotStreamBody,
} from './contract/stream/refresh-schema.ts';
export {
  previewReset,
  previewSourceReset,
  ResetConsequence,
  type ResetConsequenceView,
  resetSource,
  resetStream,
  SourceReset,
  type SourceResetView,
} from './contract/stream/resets.ts';
export { getStreamState, StreamState, type StreamStateView } from './contract/stream/stream-state.ts';
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
} from './contract/stream/stream-writes.ts';
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
} from './contract/stream/streams.ts';
export { STREAM_FAULTS } from './contract/stream-faults.ts';
export {
  FILE_EMPTY,
  FILE_NOT_FOUND,
  type FileAccount,
  type FileReason,
  type FileStreamRun,
  fileOfStream,
  hasLoadedFiles,
  withoutFile,
} from './contract/sync/file-account.ts';
export {
  getReplay,
  ReplayOutcome,
  type ReplayOutcomeView,
  startReplay,
} from './contract/sync/quarantine-replays.ts';
export {
  getSyncReceipt,
  RECEIPT_FORMAT,
  ReceiptStream,
  type ReceiptStreamView,
  SyncReceipt,
  type SyncReceiptView,
} from './contract/sync/receipts.ts';
export { listSyncDays, MAX_SYNC_DAYS, SyncDay, type SyncDayView } from './contract/sync/sync-days.ts';
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
} from './contract/sync/sync-runs.ts';
export {
  ConnectorImage,
  FIELD_CHANGES,
  FieldNote,
  type FieldNoteView,
  getSyncStatus,
  type LeftOutView,
  listSyncHistory,
  Pull,
  type PullView,
  StreamRun,
  type StreamRunView,
  SYNC_PHASES,
  type SyncPhase,
  SyncRun,
  SyncRunDetail,
  type SyncRunDetailView,
  type SyncRunView,
  startSync,
  VERDICTS,
} from './contract/sync/syncs.ts';
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
} from './contract/sync/verifications.ts';
export {
  ENDINGS_HINT,
  fileStem,
  isNeverRead,
  isReadFile,
  sourceNameOf,
  unreadFile,
  withoutMarks,
} from './contract/upload/file-kinds.ts';
export { getFileRoots } from './contract/upload/file-roots.ts';
export { uploadName } from './contract/upload/upload-name.ts';
export { uploadProblems } from './contract/upload/upload-problems.ts';
export {
  createUpload,
  deleteUpload,
  getUpload,
  listUploads,
  MAX_UPLOAD_BYTES,
  Upload,
  type UploadView,
} from './contract/upload/uploads.ts';
