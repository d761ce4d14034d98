import type { CommandClass } from 'clipanion';
import type { CliContext } from './command.ts';
import {
  DatasetsGet,
  DatasetsList,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
} from './commands/datasets.ts';
import { DevDown, DevLogs, DevReset, DevStatus, DevUp } from './commands/dev.ts';
import { Doctor } from './commands/doctor.ts';
import { Completion, HelpExitCodes } from './commands/help.ts';
import {
  OpsAdmission,
  OpsAdmissionChanges,
  OpsAdmissionClose,
  OpsAdmissionOpen,
  OpsHealth,
  OpsMetrics,
  OpsStatus,
} from './commands/ops.ts';
import { PluginsDisable, PluginsEnable, PluginsList } from './commands/plugins.ts';
import { Migrate, PluginsPlan } from './commands/programs.ts';
import {
  PatternsGet,
  PatternsList,
  SourcesDelete,
  SourcesDiscoveryGet,
  SourcesGet,
  SourcesHistory,
  SourcesList,
  SourcesStreamsList,
} from './commands/sources.ts';
import { SourcesCreate } from './commands/sources-create.ts';
import { SourcesDiscover } from './commands/sources-discover.ts';
import { SourcesStreamsSet } from './commands/sources-streams-set.ts';
import { SourcesSync } from './commands/sources-sync.ts';

/** Every command of `weir`. */
export const commands = (): CommandClass<CliContext>[] => [
  DevUp,
  DevDown,
  DevReset,
  DevStatus,
  DevLogs,
  SourcesList,
  SourcesGet,
  SourcesCreate,
  SourcesDiscover,
  SourcesDiscoveryGet,
  SourcesDelete,
  SourcesSync,
  SourcesHistory,
  SourcesStreamsList,
  SourcesStreamsSet,
  PatternsList,
  PatternsGet,
  DatasetsList,
  DatasetsGet,
  DatasetsPreview,
  DatasetsSchema,
  DatasetsSchemaHistory,
  DatasetsSnapshots,
  PluginsList,
  PluginsEnable,
  PluginsDisable,
  OpsStatus,
  OpsHealth,
  OpsMetrics,
  OpsAdmission,
  OpsAdmissionOpen,
  OpsAdmissionClose,
  OpsAdmissionChanges,
  Migrate,
  PluginsPlan,
  Doctor,
  HelpExitCodes,
  Completion,
];
