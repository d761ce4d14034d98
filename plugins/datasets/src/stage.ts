export {
  createStager,
  LakehouseError,
  type LineShape,
  type StagedFile,
  type StageRequest,
  type StageResult,
  type Stager,
  type StagerOptions,
  type TableSchema,
} from '@weir/lakehouse';
