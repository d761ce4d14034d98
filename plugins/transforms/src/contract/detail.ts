import { Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, Readiness } from '@weir/kernel/contract';
import { readTransforms } from './access.ts';
import { ArtifactContentShape } from './artifacts.ts';
import { params, Transform } from './transforms.ts';

/** The subject of the checks of transforms. */
export const TRANSFORM_SUBJECT = 'transform';

/** A transform with all that decides whether it can run. */
export const TransformDetail = Type.Object({
  ...Transform.properties,
  can_run_now: Type.Boolean({ description: 'Every check passes or warns: a run that starts now has a worker' }),
  readiness: Readiness,
  artifact: Nullable(ArtifactContentShape),
});

/** `GET /transforms/{transform_id}/detail` */
export const getTransformDetail = endpoint({
  id: 'transforms.get_transform_detail',
  method: 'GET',
  path: '/transforms/:transform_id/detail',
  summary: 'Read a transform with its artifact, its lineage, and what keeps it from running',
  access: readTransforms,
  params,
  response: TransformDetail,
  errors: [kernelProblems.notFound],
  cli: 'transforms detail',
});
