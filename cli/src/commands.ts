import type { CommandClass } from 'clipanion';
import type { CliContext } from './command.ts';
import { ApiTokensCreate, ApiTokensGet, ApiTokensList, ApiTokensRevoke } from './commands/api-tokens.ts';
import { AuditList, AuditPlatformList, AuditVerify } from './commands/audit.ts';
import { ConnectorsDoctor } from './commands/connectors-doctor.ts';
import { ConnectorsProve } from './commands/connectors-prove.ts';
import { ConnectorsTest } from './commands/connectors-test.ts';
import {
  DatasetsGet,
  DatasetsList,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
  DatasetsSweep,
} from './commands/datasets.ts';
import { DatasetsQuarantineList, DatasetsQuarantineReplay } from './commands/datasets-quarantine.ts';
import { DevDown, DevLogs, DevReset, DevStatus, DevUp } from './commands/dev.ts';
import { Doctor } from './commands/doctor.ts';
import { Completion, HelpExitCodes } from './commands/help.ts';
import { Login } from './commands/login.ts';
import { Logout } from './commands/logout.ts';
import {
  OpsAdmission,
  OpsAdmissionChanges,
  OpsAdmissionClose,
  OpsAdmissionOpen,
  OpsHealth,
  OpsMetrics,
  OpsStatus,
} from './commands/ops.ts';
import { OpsQueues, OpsWorkers } from './commands/ops-engine.ts';
import { OpsProbe } from './commands/ops-probe.ts';
import { OpsSecretStoreCheck } from './commands/ops-secret-store.ts';
import { PatternsReconcile, PatternsRegister } from './commands/patterns.ts';
import { PluginsDisable, PluginsEnable, PluginsList } from './commands/plugins.ts';
import { PoliciesDelete, PoliciesGet, PoliciesList, PoliciesVersion, PoliciesVersions } from './commands/policies.ts';
import { PoliciesDryRun } from './commands/policies-dry-run.ts';
import {
  PoliciesActivate,
  PoliciesArchive,
  PoliciesClone,
  PoliciesCreate,
  PoliciesPut,
} from './commands/policies-write.ts';
import { Migrate, PluginsPlan } from './commands/programs.ts';
import { ProveCredentials } from './commands/prove.ts';
import { runsCommands } from './commands/runs.ts';
import { RunsReceipt, SourcesReceipt } from './commands/runs-receipt.ts';
import { RunsVerify } from './commands/runs-verify.ts';
import {
  PatternsGet,
  PatternsList,
  SourcesDelete,
  SourcesDiscoveryGet,
  SourcesGet,
  SourcesList,
  SourcesRefs,
  SourcesRunsGet,
  SourcesRunsStreams,
  SourcesStreamsList,
} from './commands/sources.ts';
import { SourcesCancel } from './commands/sources-cancel.ts';
import { SourcesCreate } from './commands/sources-create.ts';
import {
  SourcesCredentialsDetach,
  SourcesCredentialsGet,
  SourcesCredentialsMigrate,
  SourcesCredentialsRevoke,
  SourcesCredentialsRotate,
  SourcesCredentialsSet,
} from './commands/sources-credentials.ts';
import { SourcesDiscover } from './commands/sources-discover.ts';
import { SourcesHistory } from './commands/sources-history.ts';
import { DiscoveryLogs, RunsLogs, SourcesLogs } from './commands/sources-logs.ts';
import { OpsCredentialsCheck, OpsCredentialsMigrate } from './commands/sources-operator.ts';
import { SourcesReadiness } from './commands/sources-readiness.ts';
import { OpsRecoverySeal, OpsRecoveryVerify } from './commands/sources-recovery.ts';
import { SourcesRefreshSchema } from './commands/sources-refresh-schema.ts';
import { SourcesReset } from './commands/sources-reset.ts';
import {
  SchedulesList,
  SourcesScheduleDelete,
  SourcesScheduleGet,
  SourcesSchedulePause,
  SourcesScheduleResume,
  SourcesScheduleSet,
  SourcesScheduleTrigger,
} from './commands/sources-schedule.ts';
import { SourcesStreamsAdd } from './commands/sources-streams-add.ts';
import { SourcesStreamsBulk } from './commands/sources-streams-bulk.ts';
import { SourcesStreamsDelete } from './commands/sources-streams-delete.ts';
import { SourcesStreamsSet } from './commands/sources-streams-set.ts';
import { SourcesSync } from './commands/sources-sync.ts';
import { SourcesUpdate } from './commands/sources-update.ts';
import { TenantsLimits, TenantsLimitsSet } from './commands/tenant-limits.ts';
import { TenantsList, TenantsUse } from './commands/tenants.ts';
import { UsersGet, UsersList } from './commands/users.ts';
import { WhoAmI } from './commands/whoami.ts';

/** Every command of `weir`. */
export const commands = (): CommandClass<CliContext>[] => [
  DevUp,
  DevDown,
  DevReset,
  DevStatus,
  DevLogs,
  Login,
  Logout,
  WhoAmI,
  TenantsList,
  TenantsUse,
  TenantsLimits,
  TenantsLimitsSet,
  SourcesList,
  SourcesGet,
  SourcesCreate,
  SourcesUpdate,
  SourcesDiscover,
  SourcesCredentialsGet,
  SourcesCredentialsSet,
  SourcesCredentialsRotate,
  SourcesCredentialsDetach,
  SourcesCredentialsMigrate,
  SourcesCredentialsRevoke,
  SourcesDiscoveryGet,
  SourcesDelete,
  SourcesReadiness,
  SourcesSync,
  SourcesCancel,
  SourcesHistory,
  SourcesLogs,
  DiscoveryLogs,
  SourcesScheduleGet,
  SourcesScheduleSet,
  SourcesScheduleDelete,
  SourcesSchedulePause,
  SourcesScheduleResume,
  SourcesScheduleTrigger,
  SchedulesList,
  SourcesRunsGet,
  SourcesRunsStreams,
  SourcesReceipt,
  SourcesRefs,
  SourcesRefreshSchema,
  SourcesReset,
  SourcesStreamsList,
  SourcesStreamsAdd,
  SourcesStreamsSet,
  SourcesStreamsBulk,
  SourcesStreamsDelete,
  ...runsCommands,
  RunsLogs,
  RunsReceipt,
  RunsVerify,
  PatternsList,
  PatternsGet,
  ConnectorsTest,
  PatternsRegister,
  PatternsReconcile,
  DatasetsList,
  DatasetsGet,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
  DatasetsQuarantineList,
  DatasetsQuarantineReplay,
  DatasetsSweep,
  ApiTokensCreate,
  ApiTokensList,
  ApiTokensGet,
  ApiTokensRevoke,
  PoliciesList,
  PoliciesGet,
  PoliciesCreate,
  PoliciesPut,
  PoliciesActivate,
  PoliciesArchive,
  PoliciesDelete,
  PoliciesVersions,
  PoliciesVersion,
  PoliciesClone,
  PoliciesDryRun,
  UsersList,
  UsersGet,
  PluginsList,
  PluginsEnable,
  PluginsDisable,
  AuditList,
  AuditPlatformList,
  AuditVerify,
  OpsStatus,
  OpsHealth,
  OpsMetrics,
  OpsQueues,
  OpsWorkers,
  OpsProbe,
  OpsAdmission,
  OpsAdmissionOpen,
  OpsAdmissionClose,
  OpsAdmissionChanges,
  OpsSecretStoreCheck,
  OpsCredentialsMigrate,
  OpsCredentialsCheck,
  OpsRecoverySeal,
  OpsRecoveryVerify,
  ConnectorsDoctor,
  ConnectorsProve,
  ProveCredentials,
  Migrate,
  PluginsPlan,
  Doctor,
  HelpExitCodes,
  Completion,
];
