export { Categories, PackageFault, SyncResult } from './contract/catalog.ts';
export {
  getTransformPattern,
  listTransformPatternCategories,
  listTransformPatterns,
  previewTransformPattern,
  syncTransformPatterns,
  TransformPattern,
  TransformPatternSummary,
  type TransformPatternView,
  validateTransformPattern,
} from './contract/patterns.ts';
export {
  applySqlTransform,
  getSqlTransform,
  listSqlTransformCategories,
  listSqlTransforms,
  listSqlTransformsForType,
  SqlTransform,
  type SqlTransformView,
  syncSqlTransforms,
} from './contract/sql-transforms.ts';
