export type {
  CatalogWord,
  CommitOutcome,
  LoadedTable,
  NewTable,
  RemoteCatalog,
  TableChange,
  TableIdent,
} from './catalog.ts';
export { type JdbcCatalog, jdbcCatalog, type Sql } from './catalog-jdbc.ts';
export { type RestCatalogOptions, restCatalog } from './catalog-rest.ts';
export { addChecksums, CHECKSUM_ALGORITHM, NO_ROWS_CHECKSUM, rowChecksumSql } from './checksum.ts';
export type { CommitInput, OverwriteInput, PreparedCommit, RowDeltaInput, TableInput } from './commit-types.ts';
export {
  CONDITION_OPS,
  type Condition,
  type ConditionFault,
  type ConditionOp,
  isOrdered,
  parseCondition,
} from './condition.ts';
export { LakehouseError, type LakehouseErrorCode } from './error.ts';
export { type Evolution, evolveSchema } from './evolve-schema.ts';
export {
  type ByteRange,
  type FileIO,
  type ListedFile,
  localPath,
  type MaterializedFile,
  type Place,
  parseLocation,
  toLocation,
} from './fileio.ts';
export { localFileIO } from './fileio-local.ts';
export { jsonSchemaToColumns, jsonSchemaType } from './json-schema.ts';
export { countFiles, type DeleteFile, type FileCount, type FileFigures, type LiveFile } from './live-file.ts';
export { hasLongNumber } from './long-numbers.ts';
export {
  currentSchema,
  findSnapshot,
  type Snapshot,
  type TableMetadata,
} from './metadata.ts';
export { parseExact, stringifyExact } from './metadata-json.ts';
export type { PartitionBy, PartitionField, PartitionSpec, PartitionValues, Transform } from './partition-spec.ts';
export { applyTransform } from './partition-transform.ts';
export { type ChildWatch, startPulse, watchChild, watchFor } from './pulse.ts';
export { QUARANTINE_COLUMNS } from './quarantine.ts';
export type { RowFigures } from './query/count-rows.ts';
export { type PlannedFile, planRead, type ReadPlanRequest, type RowPosition } from './query/plan-read.ts';
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
export { readMetadata } from './read-metadata.ts';
export { referencedFiles } from './referenced-files.ts';
export {
  againRejected,
  type LineOrigin,
  type LineSelection,
  type LinesOf,
  type TakenLines,
  takeLines,
} from './replay-lines.ts';
export { createScanner, type Scanner } from './scan.ts';
export { applySchemaChanges, type FieldPlace, type SchemaChange } from './schema-change.ts';
export { createStager, type SingleStagerOptions, type Stager } from './stage.ts';
export { SPOOL_HEAD_BYTES } from './stage-head.ts';
export { writeRejected } from './stage-rewrite.ts';
export type { StageRequest, StageResult } from './stage-single.ts';
export type { LineShape } from './stage-sql.ts';
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
} from './stage-types.ts';
export type { StagedFile } from './stats.ts';
export { openStore } from './store.ts';
export type { S3Options, Store, StoreOptions } from './store-options.ts';
export { applyUpdates, meetsRequirement, type TableRequirement, type TableUpdate } from './table-update.ts';
export { createTable, prepareAppend, prepareOverwrite, prepareRowDelta } from './transaction.ts';
export { preparePropertyUpdate, prepareSchemaUpdate, prepareSpecUpdate } from './transaction-schema.ts';
export {
  assignFieldIds,
  type Column,
  type ColumnType,
  type Field,
  type FieldType,
  innerFields,
  META_COLUMNS,
  type PrimitiveType,
  schemaColumns,
  type TableSchema,
  withMetaColumns,
} from './types.ts';
