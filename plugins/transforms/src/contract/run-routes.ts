import { Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, kernelProblems, listQuery, OneOf, Page, RUN_STATUSES } from '@weir/kernel/contract';
import { readTransforms } from './access.ts';
import { TransformRun } from './runs.ts';

const MAX_ORCHESTRATOR_RUN_CHARS = 200;
const status = Type.Optional(OneOf(RUN_STATUSES));
const columns = [
  ...['run_id', 'status', 'reason', 'moved_inputs', 'rows'],
  ...['output_snapshot_id', 'created_at', 'ended_at', 'failure.code'],
];

/** `GET /transforms/{transform_id}/runs` */
export const listRunsOfTransform = endpoint({
  id: 'transforms.list_runs_of_transform',
  method: 'GET',
  path: '/transforms/:transform_id/runs',
  summary: 'List the runs of a transform, newest first',
  access: readTransforms,
  params: Closed({ transform_id: Id }),
  query: listQuery(['created_at'], { status }),
  response: Page(TransformRun),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: { words: 'transforms runs', columns },
});

/** `GET /transform-runs` */
export const listTransformRuns = endpoint({
  id: 'transforms.list_transform_runs',
  method: 'GET',
  path: '/transform-runs',
  summary: 'List the runs of all transforms, newest first',
  access: readTransforms,
  query: listQuery(['created_at'], {
    status,
    transform_id: Type.Optional(Id),
    triggering_transform_id: Type.Optional(Id),
    orchestrator_run_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_ORCHESTRATOR_RUN_CHARS, pattern: '^[!-~]+$' }),
    ),
  }),
  response: Page(TransformRun),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'transform-runs list', columns: ['transform_id', ...columns] },
});
