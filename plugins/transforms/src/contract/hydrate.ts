import { Type } from '@sinclair/typebox';
import { endpoint, kernelProblems } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { writeTransforms } from './access.ts';
import { ArtifactContentShape } from './artifacts.ts';
import { transformProblems } from './problems.ts';
import { params, Transform } from './transforms.ts';

/** `POST /transforms/{transform_id}/hydrate` */
export const hydrateTransform = endpoint({
  id: 'transforms.hydrate_transform',
  method: 'POST',
  path: '/transforms/:transform_id/hydrate',
  summary: 'Check the statement of a transform and make the artifact that its runs carry out',
  description:
    'Reads the statement against its inputs as they are now: which tables it reads, the columns and types of its result, and where each column comes from. The same content makes the same artifact.',
  access: writeTransforms,
  params,
  response: Type.Object({ ...Transform.properties, artifact: ArtifactContentShape }),
  errors: [
    ...[kernelProblems.notFound, kernelProblems.conflict, datasetProblems.datasetNotReadable],
    ...[transformProblems.inputMissing, transformProblems.outputIsInput, transformProblems.materializationRefused],
    ...[transformProblems.checksRefused, transformProblems.sqlRefused],
    ...[transformProblems.sqlBoundMet, transformProblems.sqlStopped],
  ],
  cli: 'transforms hydrate',
});
