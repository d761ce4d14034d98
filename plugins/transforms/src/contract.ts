export {
  ARTIFACT_DOCUMENT,
  type ArtifactView,
  downloadArtifact,
  getArtifact,
  getArtifactContent,
  listArtifacts,
} from './contract/artifacts.ts';
export {
  Check,
  type CheckBody,
  CheckReport,
  type CheckReportView,
  CheckResult,
  type CheckResultView,
  Checks,
  readRunChecks,
} from './contract/checks.ts';
export {
  type Definition,
  Definitions,
  type DefinitionsService,
  type GivenTransform,
  type NewTransform,
  type PatternMaker,
  PatternMakers,
  type TransformChange,
  type TransformChanged,
  TransformChanges,
} from './contract/definitions.ts';
export { getTransformDetail, TRANSFORM_SUBJECT, TransformDetail } from './contract/detail.ts';
export {
  type ArtifactFacts,
  type FactColumn,
  Facts,
  type FactsService,
  type GroupOutcome,
  type TransformFacts,
} from './contract/group/facts.ts';
export { materializeTransforms, readSteps } from './contract/group/group-routes.ts';
export {
  GroupKinds,
  type GroupStart,
  type GroupStep,
  type GroupStepView,
  Groups,
  type GroupsService,
  NOT_ADOPTED,
  type NotAdopted,
  PUBLISH_MODES,
  type PublishMode,
  Step as GroupStepShape,
} from './contract/group/groups.ts';
export type { PartitionChoice, PartitionValue } from './contract/group/partition-choice.ts';
export { TransformOrigin, type TransformOriginView } from './contract/origin.ts';
export { groupProblems, statementProblems, transformProblems } from './contract/problems.ts';
export {
  DEFAULT_QUERY_ROWS,
  MAX_QUERY_ROWS,
  previewTransform,
  QueryResult,
  runQuery,
  TRUNCATED_HEADER,
} from './contract/queries.ts';
export {
  getRunOfTransform,
  getTransformRun,
  listRunsOfTransform,
  listTransformRuns,
  readTransformRunLog,
} from './contract/run-routes.ts';
export { RUN_EXTENTS, RUN_REASONS, type RunReason, TransformRun, type TransformRunView } from './contract/runs.ts';
export {
  deleteTransformSchedule,
  getTransformSchedule,
  listTransformSchedules,
  pauseTransformSchedule,
  putTransformSchedule,
  resumeTransformSchedule,
  TransformSchedule,
  type TransformScheduleView,
  transformSchedules,
  triggerTransformSchedule,
} from './contract/schedules.ts';
export {
  cancelTransformRun,
  Execution,
  executeTransform,
  materializeTransform,
  TransformStart,
} from './contract/start-routes.ts';
export {
  changeTransform,
  createTransform,
  type DefinitionView,
  DIALECTS,
  deleteTransform,
  discardTransformDraft,
  getTransform,
  listTransforms,
  MATERIALIZATIONS,
  type Materialization,
  TRANSFORM_TOPIC,
  Transform,
  TransformDefinition,
  TransformDraft,
  type TransformView,
} from './contract/transforms.ts';
export { Fault, Validation, validateTransform } from './contract/validate.ts';
export {
  getTransformVersion,
  hydrateTransform,
  listTransformVersions,
  restoreTransformVersion,
  TransformVersion,
  TransformVersionFacts,
  type TransformVersionFactsView,
  type TransformVersionView,
} from './contract/versions.ts';
