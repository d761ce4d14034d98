export type {
  CatalogWord,
  CommitOutcome,
  LoadedTable,
  NewTable,
  RemoteCatalog,
  TableChange,
  TableIdent,
} from './catalog/catalog.ts';
export { type JdbcCatalog, jdbcCatalog, type Sql } from './catalog/catalog-jdbc.ts';
export { type RestCatalogOptions, restCatalog } from './catalog/catalog-rest.ts';
export { prepareExpire } from './commit/commit-expire.ts';
export { type PreparedRewrite, prepareRewrite } from './commit/commit-rewrite.ts';
export type {
  CommitInput,
  OverwriteInput,
  PreparedCommit,
  ReplaceInput,
  RewriteInput,
  RewrittenBin,
  RowDeltaInput,
  TableInput,
} from './commit/commit-types.ts';
export {
  createTable,
  draftTable,
  prepareAppend,
  prepareOverwrite,
  prepareReplace,
  prepareRowDelta,
} from './commit/transaction.ts';
export { preparePropertyUpdate, prepareSchemaUpdate, prepareSpecUpdate } from './commit/transaction-schema.ts';
export { addChecksums, CHECKSUM_ALGORITHM, NO_ROWS_CHECKSUM, rowChecksumSql } from './duckdb/checksum.ts';
export { beginReserve, type DuckdbReserve } from './duckdb/duckdb-session.ts';
export { identifier, literal, sqlType } from './duckdb/duckdb-sql.ts';
export { LakehouseError, type LakehouseErrorCode, type StatementFault } from './error/error.ts';
export { type MaintenanceRule, SMALL_SHARE } from './maintain/maintenance-rule.ts';
export type { Bin, WaitingBin } from './maintain/plan-bins.ts';
export {
  type MaintenancePlan,
  type MaintenanceReason,
  planMaintenance,
  type SurveyedTable,
  sequenceOf,
} from './maintain/plan-maintenance.ts';
export {
  createRewriter,
  type RewriteRequest,
  type RewriteResult,
  type Rewriter,
  type RowProof,
} from './maintain/rewrite-bin.ts';
export { countFiles, type DeleteFile, type FileCount, type FileFigures, type LiveFile } from './manifest/live-file.ts';
export type { StagedFile } from './manifest/stats.ts';
export { mergeCandidates } from './merge/merge-candidates.ts';
export { expirableSnapshots, mainLine, type Retention } from './metadata/expire-snapshots.ts';
export {
  currentSchema,
  findSnapshot,
  type Snapshot,
  type TableMetadata,
} from './metadata/metadata.ts';
export { parseExact, stringifyExact, stringifyMetadata } from './metadata/metadata-json.ts';
export { outdatedMetadata } from './metadata/outdated-metadata.ts';
export { readMetadata } from './metadata/read-metadata.ts';
export { applySchemaChanges, type FieldPlace, type SchemaChange } from './metadata/schema-change.ts';
export { replacementSchema } from './metadata/schema-replace.ts';
export { applyUpdates, meetsRequirement, type TableRequirement, type TableUpdate } from './metadata/table-update.ts';
export { nextPartitionSpec } from './partition/partition-by.ts';
export type {
  PartitionBy,
  PartitionField,
  PartitionSpec,
  PartitionValues,
  Transform,
} from './partition/partition-spec.ts';
export { applyTransform } from './partition/partition-transform.ts';
export { QUARANTINE_COLUMNS } from './quarantine/quarantine.ts';
export {
  againRejected,
  type FileLine,
  type LineOrigin,
  type LineSelection,
  type LinesOf,
  type TakenLines,
  takeLines,
} from './quarantine/replay-lines.ts';
export type { RowFigures } from './query/count-rows.ts';
export {
  type CountRequest,
  createQueryPool,
  type FiguresRequest,
  type PreviewPage,
  type PreviewRequest,
  type QueryPool,
  type QueryPoolOptions,
  type SampleRequest,
} from './query/pool.ts';
export type { ReadOrder, SampleAnswer, SampleSelect, ValueCounts } from './query/protocol.ts';
export { type PinnedRows, pinnedRows } from './rows/pinned-rows.ts';
export {
  CONDITION_OPS,
  type Condition,
  type ConditionFault,
  type ConditionOp,
  isOrdered,
  parseCondition,
} from './scan/condition.ts';
export { type PlannedFile, planRead, type ReadPlanRequest, type RowPosition } from './scan/plan-read.ts';
export { referencedFiles } from './scan/referenced-files.ts';
export { type RowsSince, type RowsUnknown, rowsSince } from './scan/rows-since.ts';
export { createScanner, type Scanner } from './scan/scan.ts';
export { type Evolution, evolveSchema, unfitColumns } from './schema/evolve-schema.ts';
export { jsonSchemaToColumns, jsonSchemaType, jsonTextColumns } from './schema/json-schema.ts';

export {
  assignFieldIds,
  type Column,
  type ColumnType,
  FILE_COLUMN,
  type Field,
  type FieldType,
  innerFields,
  META_COLUMNS,
  maxFieldId,
  type PrimitiveType,
  schemaColumns,
  type TableSchema,
  withMetaColumns,
} from './schema/types.ts';
export { createSelector, loadSelector } from './select/run-select.ts';
export type {
  ExaminedSelect,
  OverSelect,
  RunSelectRequest,
  RunSelectResult,
  SelectCheck,
  SelectCheckResult,
  SelectInputs,
  SelectOnto,
  Selector,
  SelectorOptions,
  SelectRows,
  SelectRowsRequest,
} from './select/select-types.ts';
export { hasLongNumber } from './spool/long-numbers.ts';
export { SPOOL_HEAD_BYTES } from './spool/stage-head.ts';
export { writeRejected } from './spool/stage-rewrite.ts';
export type { StageRequest, StageResult } from './stage/stage-single.ts';
export type { LineShape } from './stage/stage-sql.ts';
export type {
  CopyRequest,
  CopyResult,
  MergeRequest,
  MergeResult,
  QuarantineRequest,
  RejectedLines,
  RejectReason,
  SegmentRequest,
  StagerOptions,
} from './stage/stage-types.ts';
export { createStager, type SingleStagerOptions, type Stager } from './stage.ts';
export {
  type ByteRange,
  type FileIO,
  type ListedFile,
  localPath,
  type MaterializedFile,
  type Place,
  parseLocation,
  toLocation,
} from './store/fileio.ts';
export { localFileIO } from './store/fileio-local.ts';
export { givenFiles } from './store/given-files.ts';
export { openStore } from './store/store.ts';
export type { S3Options, Store, StoreOptions } from './store/store-options.ts';
export { isBelow, type TableFiles, tableFiles } from './store/table-files.ts';
