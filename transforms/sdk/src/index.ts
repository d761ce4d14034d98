/** Transform packages: reads them, and makes SQL of parameters. Pure but for reading folders. */
export type { MadeCheck } from './checks.ts';
export {
  LAYERS,
  MATERIALIZATIONS,
  PatternDocument,
  SQL_TYPES,
  type SqlTransformDocument,
  type SqlType,
} from './documents.ts';
export { type LoadedPackage, loadPackage, type SqlTransform, type TransformPattern } from './load-package.ts';
export { type AppliedColumns, applySqlTransform, type MadeDefinition, makeDefinition } from './make.ts';
export type { Fault } from './parameters.ts';
