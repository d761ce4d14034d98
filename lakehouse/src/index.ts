export { type JdbcCatalog, jdbcCatalog, type Sql, type TableIdent } from './catalog-jdbc.ts';
export { LakehouseError, type LakehouseErrorCode } from './error.ts';
export { type Evolution, evolveSchema } from './evolve-schema.ts';
export { type FileIO, localFileIO, localPath, toLocation } from './fileio.ts';
export { jsonSchemaToColumns, jsonSchemaType } from './json-schema.ts';
export {
  currentSchema,
  findSnapshot,
  parseExact,
  readMetadata,
  type Snapshot,
  stringifyExact,
  type TableMetadata,
} from './metadata.ts';
export { createQueryPool, type PreviewRequest, type QueryPool, type QueryPoolOptions } from './query/pool.ts';
export type { QueryResult } from './query/protocol.ts';
export { countFiles, createScanner, type LiveFile, planPreview, type Scanner } from './scan.ts';
export { createStager, type StageRequest, type StageResult, type Stager, type StagerOptions } from './stage.ts';
export type { LineShape } from './stage-sql.ts';
export type { StagedFile } from './stats.ts';
export { type CommitInput, createTable, type PreparedCommit, prepareAppend, prepareOverwrite } from './transaction.ts';
export {
  assignFieldIds,
  type Column,
  type ColumnType,
  type Field,
  type FieldType,
  META_COLUMNS,
  type PrimitiveType,
  schemaColumns,
  type TableSchema,
  withMetaColumns,
} from './types.ts';
