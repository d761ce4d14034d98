import { Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  EXAMPLE_ID,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  OneOf,
  runProblems,
} from '@weir/kernel/contract';
import { readTransforms, runTransforms } from '../access.ts';
import { groupProblems, transformProblems } from '../problems.ts';
import { force, full, startQuery, TransformId } from '../start-routes.ts';
import { MAX_STEPS, PUBLISH_MODES, Step } from './groups.ts';

/** `POST /transforms/materialize` (ours) */
export const materializeTransforms = endpoint({
  id: 'transforms.materialize_all',
  method: 'POST',
  path: '/transforms/materialize',
  summary: 'Run several transforms as one run, each behind those whose tables it reads',
  description:
    'A step that fails keeps those behind it from starting; they end skipped. The answer names the whole: its parts are the runs of the transforms.',
  access: runTransforms,
  query: startQuery,
  body: Closed({
    transform_ids: Type.Array(TransformId, { minItems: 1, maxItems: MAX_STEPS, uniqueItems: true }),
    publish: Type.Optional(
      OneOf(['together', 'each'], {
        description:
          'together: all tables change in one commit, or none does; each: every table as its step ends. each unless given, and together with resume_run_id',
      }),
    ),
    resume_run_id: Type.Optional({
      ...Id,
      description:
        'A run of several transforms that published together and failed or was cancelled: results that it had written are published without being computed again, where version and inputs are the same. The run publishes together',
    }),
    force,
    full,
  }),
  example: { transform_ids: [EXAMPLE_ID], publish: 'together' },
  response: Accepted,
  status: 202,
  location: '/runs/:run_id',
  errors: [
    ...[transformProblems.stepsNotReady, transformProblems.stepsRefused, transformProblems.resumeRefused],
    groupProblems.catalogMovesOneTable,
    ...[runProblems.runAlreadyActive, runProblems.noWorker],
  ],
});

/** `GET /transform-runs/{run_id}/steps` (ours) */
export const readSteps = endpoint({
  id: 'transforms.read_steps',
  method: 'GET',
  path: '/transform-runs/:run_id/steps',
  summary: 'Read the steps of a run of several transforms, in the order in which they are carried out',
  description: 'The run is the whole, or any of its parts.',
  access: readTransforms,
  params: Closed({ run_id: idOf('run') }),
  response: Type.Object({
    run_id: Type.String({ description: 'Of the whole' }),
    publish: OneOf(PUBLISH_MODES, {
      description: 'together: all tables in one commit; each: every table as its step ends; none: a rehearsal',
    }),
    steps: Type.Array(Step),
  }),
  errors: [kernelProblems.notFound],
  cli: 'transform-runs steps',
});
