export { transformProblems } from './contract/problems.ts';
export { RUN_REASONS, type RunReason, TransformRun, type TransformRunView } from './contract/runs.ts';
export {
  changeTransform,
  createTransform,
  DIALECTS,
  deleteTransform,
  getTransform,
  listTransforms,
  MATERIALIZATIONS,
  type Materialization,
  TRANSFORM_TOPIC,
  Transform,
  type TransformView,
} from './contract/transforms.ts';
