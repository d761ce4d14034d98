export { type CheckResultView, validateSchema } from './contract/checks.ts';
export {
  CORE,
  getLibrarySchema,
  getSchemaByFullId,
  getSmartDataModels,
  type LibrarySchemaView,
  listDomainSchemas,
  listDomains,
  listLibraries,
  SMART_DATA_MODELS,
  searchLibraries,
  syncCatalog,
  validateByLibrary,
} from './contract/libraries.ts';
export { schemaProblems } from './contract/problems.ts';
export {
  bulkRegister,
  changeSchemaVersion,
  differSchemaVersions,
  discoverAndRegister,
  getSchemaVersion,
  listSchemaVersions,
  listSubjects,
  type RegisteredView,
  registerSchema,
  type SchemaVersionView,
  type SubjectView,
  searchRegistry,
} from './contract/registry.ts';
export type { SchemaChangeView, VerdictView } from './contract/shapes.ts';
