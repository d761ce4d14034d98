import type { CommandClass } from 'clipanion';
import type { CliContext } from './command/command.ts';
import { ApiTokensCreate, ApiTokensGet, ApiTokensList, ApiTokensRevoke } from './commands/access/api-tokens.ts';
import { Login } from './commands/access/login.ts';
import { Logout } from './commands/access/logout.ts';
import {
  PoliciesDelete,
  PoliciesGet,
  PoliciesList,
  PoliciesVersion,
  PoliciesVersions,
} from './commands/access/policies.ts';
import { PoliciesDryRun } from './commands/access/policies-dry-run.ts';
import {
  PoliciesActivate,
  PoliciesArchive,
  PoliciesClone,
  PoliciesCreate,
  PoliciesPut,
} from './commands/access/policies-write.ts';
import { TenantsList, TenantsUse } from './commands/access/tenants.ts';
import { UsersGet, UsersList } from './commands/access/users.ts';
import { WhoAmI } from './commands/access/whoami.ts';
import {
  DatasetsGet,
  DatasetsList,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
  DatasetsSweep,
} from './commands/datasets/datasets.ts';
import { DatasetsQuarantineList, DatasetsQuarantineReplay } from './commands/datasets/datasets-quarantine.ts';
import { ConnectorsDoctor } from './commands/machine/connectors-doctor.ts';
import { ConnectorsProve } from './commands/machine/connectors-prove.ts';
import { ConnectorsTest } from './commands/machine/connectors-test.ts';
import { DevDown, DevLogs, DevReset, DevStatus, DevUp } from './commands/machine/dev.ts';
import { Doctor } from './commands/machine/doctor.ts';
import { ProveCredentials } from './commands/machine/prove.ts';
import { AuditList, AuditPlatformList, AuditVerify } from './commands/operate/audit.ts';
import {
  OpsAdmission,
  OpsAdmissionChanges,
  OpsAdmissionClose,
  OpsAdmissionOpen,
  OpsHealth,
  OpsMetrics,
  OpsStatus,
} from './commands/operate/ops.ts';
import { OpsQueues, OpsWorkers } from './commands/operate/ops-engine.ts';
import { OpsProbe } from './commands/operate/ops-probe.ts';
import { OpsSecretStoreCheck } from './commands/operate/ops-secret-store.ts';
import { PatternsReconcile, PatternsRegister } from './commands/operate/patterns.ts';
import { PluginsDisable, PluginsEnable, PluginsList } from './commands/operate/plugins.ts';
import { Migrate, PluginsPlan } from './commands/operate/programs.ts';
import { TenantsLimits, TenantsLimitsSet } from './commands/operate/tenant-limits.ts';
import { runsCommands } from './commands/runs/runs.ts';
import { RunsReceipt, SourcesReceipt } from './commands/runs/runs-receipt.ts';
import { RunsVerify } from './commands/runs/runs-verify.ts';
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
} from './commands/sources/sources.ts';
import { SourcesCancel } from './commands/sources/sources-cancel.ts';
import { SourcesCreate } from './commands/sources/sources-create.ts';
import {
  SourcesCredentialsDetach,
  SourcesCredentialsGet,
  SourcesCredentialsMigrate,
  SourcesCredentialsRevoke,
  SourcesCredentialsRotate,
  SourcesCredentialsSet,
} from './commands/sources/sources-credentials.ts';
import { SourcesDiscover } from './commands/sources/sources-discover.ts';
import { SourcesHistory } from './commands/sources/sources-history.ts';
import { DiscoveryLogs, RunsLogs, SourcesLogs } from './commands/sources/sources-logs.ts';
import { OpsCredentialsCheck, OpsCredentialsMigrate } from './commands/sources/sources-operator.ts';
import { SourcesReadiness } from './commands/sources/sources-readiness.ts';
import { OpsRecoverySeal, OpsRecoveryVerify } from './commands/sources/sources-recovery.ts';
import { SourcesRefreshSchema } from './commands/sources/sources-refresh-schema.ts';
import {
  SchedulesList,
  SourcesScheduleDelete,
  SourcesScheduleGet,
  SourcesSchedulePause,
  SourcesScheduleResume,
  SourcesScheduleSet,
  SourcesScheduleTrigger,
} from './commands/sources/sources-schedule.ts';
import { SourcesSync } from './commands/sources/sources-sync.ts';
import { SourcesUpdate } from './commands/sources/sources-update.ts';
import { SourcesReset } from './commands/streams/sources-reset.ts';
import { SourcesStreamsAdd } from './commands/streams/sources-streams-add.ts';
import { SourcesStreamsBulk } from './commands/streams/sources-streams-bulk.ts';
import { SourcesStreamsDelete } from './commands/streams/sources-streams-delete.ts';
import { SourcesStreamsSet } from './commands/streams/sources-streams-set.ts';
import { Completion, HelpExitCodes } from './line/help.ts';

const DEVELOPMENT = [DevUp, DevDown, DevReset, DevStatus, DevLogs];
const PEOPLE = [Login, Logout, WhoAmI, TenantsList, TenantsUse, TenantsLimits, TenantsLimitsSet];
const SOURCES = [
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
];
const STREAMS = [SourcesStreamsList, SourcesStreamsAdd, SourcesStreamsSet, SourcesStreamsBulk, SourcesStreamsDelete];
const RUNS = [...runsCommands, RunsLogs, RunsReceipt, RunsVerify];
const PATTERNS = [PatternsList, PatternsGet, ConnectorsTest, PatternsRegister, PatternsReconcile];
const DATASETS = [
  DatasetsList,
  DatasetsGet,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
  DatasetsQuarantineList,
  DatasetsQuarantineReplay,
  DatasetsSweep,
];
const ACCESS = [
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
];
const OPERATION = [
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
];
const MACHINE = [
  ConnectorsDoctor,
  ConnectorsProve,
  ProveCredentials,
  Migrate,
  PluginsPlan,
  Doctor,
  HelpExitCodes,
  Completion,
];

/** Every command of `weir`. */
export const commands = (): CommandClass<CliContext>[] => [
  ...DEVELOPMENT,
  ...PEOPLE,
  ...SOURCES,
  ...STREAMS,
  ...RUNS,
  ...PATTERNS,
  ...DATASETS,
  ...ACCESS,
  ...OPERATION,
  ...MACHINE,
];
