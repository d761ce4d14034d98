import type { CommandClass } from 'clipanion';
import type { CliContext } from './command/command.ts';
import { commandsOf } from './command/endpoint-command.ts';
import { CallApi } from './commands/access/call-api.ts';
import { Login } from './commands/access/login.ts';
import { Logout } from './commands/access/logout.ts';
import { PoliciesDryRun } from './commands/access/policies-dry-run.ts';
import { PoliciesActivate, PoliciesArchive, PoliciesCreate, PoliciesPut } from './commands/access/policies-write.ts';
import { ProfilesList, ProfilesRemove, ProfilesUse } from './commands/access/profiles.ts';
import { TenantsList, TenantsUse } from './commands/access/tenants.ts';
import { Token } from './commands/access/token.ts';
import { WhoAmI } from './commands/access/whoami.ts';
import { Apply, Diff } from './commands/apply/apply.ts';
import { Export } from './commands/apply/export.ts';
import { Init } from './commands/apply/init.ts';
import { DatasetsPreview, DatasetsSchema } from './commands/datasets/datasets.ts';
import { DatasetsQuarantineList, DatasetsQuarantineReplay } from './commands/datasets/datasets-quarantine.ts';
import { Lineage } from './commands/datasets/lineage.ts';
import { Sql } from './commands/datasets/sql.ts';
import { Load } from './commands/load/load.ts';
import { ConnectorsDoctor } from './commands/machine/connectors-doctor.ts';
import { ConnectorsProve } from './commands/machine/connectors-prove.ts';
import { ConnectorsTest } from './commands/machine/connectors-test.ts';
import { DevConnect, DevDown, DevLogs, DevReset, DevStatus, DevUp } from './commands/machine/dev.ts';
import { Doctor } from './commands/machine/doctor.ts';
import { ProveCredentials } from './commands/machine/prove.ts';
import { AuditVerify } from './commands/operate/audit.ts';
import { OntologyDrain, OntologyRouteV1, OntologyRouteV2 } from './commands/operate/ontology-route.ts';
import { OpsAdmissionClose, OpsAdmissionOpen, OpsHealth } from './commands/operate/ops.ts';
import { OpsQueues } from './commands/operate/ops-engine.ts';
import { OpsProbe } from './commands/operate/ops-probe.ts';
import { OpsSecretStoreCheck } from './commands/operate/ops-secret-store.ts';
import { PatternsReconcile, PatternsRegister } from './commands/operate/patterns.ts';
import { PluginsDisable, PluginsEnable, PluginsList } from './commands/operate/plugins.ts';
import { Migrate, PluginsPlan } from './commands/operate/programs.ts';
import { TenantsLimits, TenantsLimitsSet } from './commands/operate/tenant-limits.ts';
import { TenantsCreate } from './commands/operate/tenants-create.ts';
import { PipelinesDifference, PipelinesGet, PipelinesReadiness } from './commands/pipelines/pipelines-get.ts';
import { PipelinesSandbox, PipelinesSandboxStatus } from './commands/pipelines/pipelines-sandbox.ts';
import { pipelineScheduleCommands } from './commands/pipelines/pipelines-schedule.ts';
import { PipelinesValidate } from './commands/pipelines/pipelines-validate.ts';
import { RunsWait } from './commands/runs/runs.ts';
import { RunsReceipt, SourcesReceipt } from './commands/runs/runs-receipt.ts';
import { RunsVerify } from './commands/runs/runs-verify.ts';
import { ConnectorsAdd } from './commands/sources/connectors-add.ts';
import { SourcesCancel } from './commands/sources/sources-cancel.ts';
import { SourcesCreate } from './commands/sources/sources-create.ts';
import { SourcesCredentialsRotate, SourcesCredentialsSet } from './commands/sources/sources-credentials.ts';
import { SourcesDiscover } from './commands/sources/sources-discover.ts';
import { SourcesHistory } from './commands/sources/sources-history.ts';
import { DiscoveryLogs, RunsLogs, SourcesLogs } from './commands/sources/sources-logs.ts';
import { OpsCredentialsCheck, OpsCredentialsMigrate } from './commands/sources/sources-operator.ts';
import { SourcesReadiness } from './commands/sources/sources-readiness.ts';
import { OpsRecoverySeal, OpsRecoveryVerify } from './commands/sources/sources-recovery.ts';
import { SourcesRefreshSchema } from './commands/sources/sources-refresh-schema.ts';
import { sourceScheduleCommands } from './commands/sources/sources-schedule.ts';
import { SourcesSync } from './commands/sources/sources-sync.ts';
import { SourcesUpdate } from './commands/sources/sources-update.ts';
import { SourcesReset } from './commands/streams/sources-reset.ts';
import { SourcesStreamsAdd } from './commands/streams/sources-streams-add.ts';
import { SourcesStreamsBulk } from './commands/streams/sources-streams-bulk.ts';
import { SourcesStreamsDelete } from './commands/streams/sources-streams-delete.ts';
import { SourcesStreamsSet } from './commands/streams/sources-streams-set.ts';
import { TransformsLogs } from './commands/transforms/transforms-logs.ts';
import { transformScheduleCommands } from './commands/transforms/transforms-schedule.ts';
import { TransformsTest } from './commands/transforms/transforms-test.ts';
import { TransformsTrigger } from './commands/transforms/transforms-trigger.ts';
import { CONTRACTS } from './contracts.ts';
import { Completion, HelpExitCodes } from './line/help.ts';

const DEVELOPMENT = [DevUp, DevDown, DevReset, DevStatus, DevLogs, DevConnect];
const PEOPLE = [
  Init,
  Apply,
  Diff,
  Export,
  Load,
  Login,
  Logout,
  WhoAmI,
  Token,
  CallApi,
  ProfilesList,
  ProfilesUse,
  ProfilesRemove,
  TenantsList,
  TenantsUse,
  TenantsLimits,
  TenantsLimitsSet,
];
const SOURCES = [
  SourcesCreate,
  SourcesUpdate,
  SourcesDiscover,
  SourcesCredentialsSet,
  SourcesCredentialsRotate,
  SourcesReadiness,
  SourcesSync,
  SourcesCancel,
  SourcesHistory,
  SourcesLogs,
  DiscoveryLogs,
  ...sourceScheduleCommands,
  SourcesReceipt,
  SourcesRefreshSchema,
  SourcesReset,
];
const STREAMS = [SourcesStreamsAdd, SourcesStreamsSet, SourcesStreamsBulk, SourcesStreamsDelete];
const TRANSFORMS = [TransformsTrigger, TransformsLogs, ...transformScheduleCommands];
const PIPELINES = [
  PipelinesGet,
  PipelinesValidate,
  PipelinesDifference,
  PipelinesReadiness,
  PipelinesSandbox,
  PipelinesSandboxStatus,
  ...pipelineScheduleCommands,
];
const RUNS = [RunsWait, RunsLogs, RunsReceipt, RunsVerify];
const PATTERNS = [TransformsTest, ConnectorsTest, ConnectorsAdd, PatternsRegister, PatternsReconcile];
const DATASETS = [DatasetsPreview, DatasetsSchema, DatasetsQuarantineList, DatasetsQuarantineReplay, Lineage, Sql];
const ACCESS = [PoliciesCreate, PoliciesPut, PoliciesActivate, PoliciesArchive, PoliciesDryRun];
const OPERATION = [
  TenantsCreate,
  PluginsList,
  PluginsEnable,
  PluginsDisable,
  AuditVerify,
  OpsHealth,
  OpsQueues,
  OpsProbe,
  OpsAdmissionOpen,
  OpsAdmissionClose,
  OpsSecretStoreCheck,
  OpsCredentialsMigrate,
  OpsCredentialsCheck,
  OpsRecoverySeal,
  OpsRecoveryVerify,
  OntologyRouteV1,
  OntologyRouteV2,
  OntologyDrain,
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

/** The commands that do more than call one endpoint. */
const COMPOSING: CommandClass<CliContext>[] = [
  ...[...DEVELOPMENT, ...PEOPLE, ...SOURCES, ...STREAMS, ...TRANSFORMS, ...PIPELINES, ...RUNS],
  ...[...PATTERNS, ...DATASETS, ...ACCESS, ...OPERATION, ...MACHINE],
];

const linesOf = ({ paths = [] }: CommandClass<CliContext>) => paths.map((line) => line.join(' '));

/** Commands of contracts, but those whose words others have already. */
export function withCommandsOf(
  known: readonly CommandClass<CliContext>[],
  contracts: readonly Readonly<Record<string, unknown>>[],
): CommandClass<CliContext>[] {
  const taken = new Set(known.flatMap(linesOf));
  const made = contracts.flatMap(commandsOf);
  return [...known, ...made.filter((command) => !linesOf(command).some((line) => taken.has(line)))];
}

let all: CommandClass<CliContext>[] | undefined;

/** Every command of ours; one that composes goes before the one of an endpoint with the same words. */
export function commands(): readonly CommandClass<CliContext>[] {
  all ??= withCommandsOf(COMPOSING, CONTRACTS);
  return all;
}
