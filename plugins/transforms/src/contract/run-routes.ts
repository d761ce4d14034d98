import { Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  RUN_STATUSES,
  RunWorker,
} from '@weir/kernel/contract';
import { LineageColumn } from '@weir/plugin-lineage/contract';
import { RunLogPage, RunLogQuery } from '@weir/plugin-platform/contract';
import { readTransforms } from './access.ts';
import { TransformRun } from './runs.ts';

const MAX_ORCHESTRATOR_RUN_CHARS = 200;
const TransformRunDetail = Type.Object({
  ...TransformRun.properties,
  worker: Nullable(RunWorker),
  lineage: Nullable(
    Type.Array(LineageColumn, { description: 'Of the columns that it wrote; null until the statement runs' }),
  ),
});
const status = Type.Optional(OneOf(RUN_STATUSES, { description: 'Only runs of this status' }));
const columns = [
  ...['run_id', 'status', 'reason', 'extent', 'moved_inputs', 'rows'],
  ...['output_snapshot_id', 'created_at', 'ended_at', 'failure.code', 'broken_checks'],
];

/** `GET /transforms/{transform_id}/runs` */
export const listRunsOfTransform = endpoint({
  id: 'transforms.list_runs_of_transform',
  method: 'GET',
  path: '/transforms/:transform_id/runs',
  summary: 'List the runs of a transform, newest first',
  access: readTransforms,
  params: Closed({ transform_id: idOf('transform') }),
  query: listQuery(['created_at'], { status }),
  response: Page(TransformRun),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: { words: 'transforms runs', columns },
});

/** `GET /transforms/{transform_id}/runs/{run_id}` */
export const getRunOfTransform = endpoint({
  id: 'transforms.get_run_of_transform',
  method: 'GET',
  path: '/transforms/:transform_id/runs/:run_id',
  summary: 'Read a run of a transform',
  access: readTransforms,
  params: Closed({ transform_id: idOf('transform'), run_id: idOf('run') }),
  response: TransformRunDetail,
  errors: [kernelProblems.notFound],
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
    transform_id: Type.Optional({ ...Id, description: 'Only runs of this transform' }),
    triggering_transform_id: Type.Optional({ ...Id, description: 'Only runs that runs of this transform started' }),
    orchestrator_run_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ORCHESTRATOR_RUN_CHARS,
        pattern: '^[!-~]+$',
        description: 'Only runs of this orchestrator run',
      }),
    ),
  }),
  response: Page(TransformRun),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'transform-runs list', columns: ['transform_id', ...columns] },
});

/** `GET /transform-runs/{run_id}` */
export const getTransformRun = endpoint({
  id: 'transforms.get_transform_run',
  method: 'GET',
  path: '/transform-runs/:run_id',
  summary: 'Read a run of a transform, and what the workflow engine says of its worker',
  access: readTransforms,
  params: Closed({ run_id: idOf('run') }),
  response: TransformRunDetail,
  errors: [kernelProblems.notFound],
  cli: 'transform-runs get',
});

/** `GET /transform-runs/{run_id}/logs` */
export const readTransformRunLog = endpoint({
  id: 'transforms.read_transform_run_log',
  method: 'GET',
  path: '/transform-runs/:run_id/logs',
  summary: 'Read, search and follow the log of a run of a transform',
  description: 'To follow a run, ask again with after and wait_seconds until ended is true.',
  access: readTransforms,
  params: Closed({ run_id: idOf('run') }),
  query: RunLogQuery,
  response: RunLogPage,
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
  cli: 'transform-runs logs',
});
