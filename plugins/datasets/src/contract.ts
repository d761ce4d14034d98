export {
  Audits,
  type AuditsService,
  type CountedLines,
  type CountedRun,
  type NotCounted,
  type RunFigures,
} from './contract/audits.ts';
export {
  type DividedNames,
  divideNames,
  isReserved,
  nearestName,
  type Precedence,
  RESERVED_COLUMNS,
} from './contract/column-names.ts';
export {
  DATASET_LAYERS,
  DatasetColumn,
  DatasetDetail,
  DatasetItem,
  type DatasetLayer,
  DatasetSnapshot,
  DatasetSnapshotTwin,
  getDataset,
  HEALTH_STATUSES,
  listDatasetSnapshots,
  listDatasets,
  NumericSnapshotId,
  readErrors,
  SnapshotId,
} from './contract/datasets.ts';
export { Facts, type FactsService, type NewestRows, type TableFacts } from './contract/facts/table-facts.ts';
export {
  type AskedInput,
  type DeclaredInput,
  type InputChange,
  Inputs,
  type InputsService,
  type InputUnknown,
  MARK_DAYS,
  MAX_PINNED_INPUTS,
  type PinnedInput,
} from './contract/inputs.ts';
export {
  changeMaintenance,
  getTableHealth,
  MAINTENANCE_ACTIONS,
  MAX_SHOWN_RECEIPTS,
  MAX_SHOWN_REMOVES,
  type MaintenanceAction,
  maintainTable,
  RewriteReceipt,
  TableHealth,
  type TableHealthView,
  Would,
} from './contract/maintenance/health.ts';
export {
  type BlockedTable,
  type TableBlocked,
  TableBlocks,
} from './contract/maintenance/table-blocks.ts';
export {
  ARROW_STREAM,
  DatasetPreview,
  DEFAULT_PREVIEW_ROWS,
  MAX_PREVIEW_ROWS,
  NEXT_PAGE_HEADER,
  previewDataset,
} from './contract/preview.ts';
export { datasetProblems } from './contract/problems.ts';
export {
  type DeclaredTable,
  type NamedProducer,
  type ProducerEntry,
  type ProducerKind,
  Producers,
  type ProducersService,
  TableDeclarations,
  type TablesDeclared,
} from './contract/producers.ts';
export {
  listQuarantine,
  MAX_COUNTED_REASONS,
  MAX_SHOWN_LINE_BYTES,
  QuarantinePage,
  RejectedLine,
} from './contract/quarantine.ts';
export {
  MAX_SAMPLE_ROWS,
  type SampledDataset,
  type SampleFindings,
  type SampleQuestion,
  type SampleStatement,
  Samples,
  type SamplesService,
} from './contract/samples.ts';
export { DatasetSchema, getDatasetSchema, listSchemaVersions, SchemaField, SchemaVersion } from './contract/schema.ts';
export { type FieldOfSchema, SCHEMA_CHANGES, type SchemaChange, schemaChanges } from './contract/schema-changes.ts';
export {
  MAX_SHOWN_FILES,
  SWEEP_ACTIONS,
  SWEEP_REASONS,
  SweepPage,
  SweptEntry,
  sweepStagedFiles,
} from './contract/sweep.ts';
export { type CommittedTable, TableCommits, type TableCommitted } from './contract/table-commits.ts';
export {
  LegacyTable,
  listLegacySnapshots,
  listLegacyTables,
} from './contract/table-format.ts';
export {
  type CallerTransaction,
  type Checkpoint,
  type CheckpointCounters,
  type CheckpointWrite,
  type CommitRequest,
  type CommitResult,
  type DraftedTable,
  type DraftRequest,
  MAX_LISTED_SNAPSHOTS,
  type NewTable,
  type PreparedTable,
  type PrepareOptions,
  quarantineOf,
  type ResumePoint,
  type StagedHandover,
  type StagedPlace,
  type TableCommit,
  type TableDescription,
  type TableHead,
  type TableOwner,
  type TableRef,
  type TableSnapshot,
  Tables,
  type TablesService,
  type TypedColumn,
} from './contract/tables.ts';
