export {
  Admission,
  AdmissionChange,
  type AdmissionChangeView,
  type AdmissionView,
  getAdmission,
  listAdmissionChanges,
  setAdmission,
} from './contract/admission.ts';
export {
  AUDIT_GENESIS,
  AUDIT_RESULTS,
  AuditEvent,
  type AuditEventView,
  type AuditFilter,
  type AuditResult,
  listAudit,
  listPlatformAudit,
} from './contract/audit.ts';
export { getDocs, getDocsAsset, getErrorDoc, getOpenapi, listErrorDocs } from './contract/docs.ts';
export { egressVariables } from './contract/egress.ts';
export {
  EVENT_STREAM,
  type EventHintView,
  Events,
  type EventsService,
  HINTS_KEPT_MS,
  type Hint,
  MAX_POLLED_HINTS,
  type PublishTransaction,
  readEvents,
} from './contract/events.ts';
export { Figures, type FiguresService, type Total } from './contract/figures.ts';
export { getLimits, getTenantLimits, setTenantLimits, TenantLimits, type TenantLimitsView } from './contract/limits.ts';
export { getMetrics, METRICS_TEXT, MetricSample, type MetricSampleView } from './contract/metrics.ts';
export {
  listPlugins,
  listTenantPlugins,
  Plugin,
  type PluginView,
  setTenantPlugin,
  TENANCIES,
  TenantPlugin,
  type TenantPluginView,
} from './contract/plugins.ts';
export { platformProblems } from './contract/problems.ts';
export {
  LOG_LINES,
  LOG_TEXT,
  MAX_LOG_WAIT_SECONDS,
  type ReadableRun,
  RUN_LOG_LEVELS,
  type RunLog,
  RunLogDownloadQuery,
  type RunLogDownloadRequest,
  type RunLogEntry,
  type RunLogLevel,
  RunLogLine,
  type RunLogLineView,
  RunLogPage,
  type RunLogPageView,
  type RunLogPlace,
  RunLogQuery,
  type RunLogRequest,
  RunLogs,
  type RunLogsService,
} from './contract/run-logs.ts';
export {
  ADMISSION_STATES,
  getServicesHealth,
  getStatus,
  MODES,
  mayLook,
  PART_STATES,
  PlatformStatus,
  type PlatformStatusView,
  ServiceHealth,
  type ServiceHealthView,
} from './contract/status.ts';
export { type StorageTransaction, type StorageUse, StorageUses } from './contract/storage.ts';
export { createTenant, getTenant, listTenants, TENANT_ALIAS, type TenantView } from './contract/tenants.ts';
export { UpkeepRuns } from './contract/upkeep.ts';
