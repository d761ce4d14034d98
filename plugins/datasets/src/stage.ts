export {
  createStager,
  LakehouseError,
  type LakehouseErrorCode,
  type LineShape,
  localPath,
  type StagedFile,
  type StageRequest,
  type StageResult,
  type Stager,
  type StagerOptions,
  type TableSchema,
  toLocation,
} from '@weir/lakehouse';
