import { Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  Nullable,
  OneOf,
  runProblems,
} from '@weir/kernel/contract';
import { NumericSnapshotId } from '@weir/plugin-datasets/contract';
import { runTransforms } from './access.ts';
import { transformProblems } from './problems.ts';
import { TransformRun } from './runs.ts';

const MAX_ORCHESTRATOR_RUN_CHARS = 200;
const params = Closed({ transform_id: idOf('transform') });
export const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Run even when neither definition nor input has changed' }),
);
export const full = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Rebuild the whole output, whatever the materialization and what is new',
  }),
);
const errors = [
  ...[kernelProblems.notFound, transformProblems.transformNotReady],
  ...[runProblems.runAlreadyActive, runProblems.noWorker],
];
/** Of a start. */
export const startQuery = Closed({
  queue: Type.Optional(
    Type.Boolean({ default: false, description: 'Let the run wait when no worker polls for it at the moment' }),
  ),
});

const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

export const TransformId = Type.String({ pattern: UUID });
/** The body by which a transform is started as a workflow; by a pattern, as that check knows no formats. */
export const TransformStart = Closed({ transform_id: TransformId, force, full });

/** `POST /transforms/{transform_id}/materialize` */
export const materializeTransform = endpoint({
  id: 'transforms.materialize',
  method: 'POST',
  path: '/transforms/:transform_id/materialize',
  summary: 'Run a transform: its output has the new rows afterwards, or is as it was',
  description:
    'The run reads its inputs at one moment. It ends skipped when neither definition nor input has changed since the last run.',
  access: runTransforms,
  params,
  query: startQuery,
  body: Type.Optional(Closed({ force, full })),
  example: { force: true },
  response: Accepted,
  status: 202,
  location: '/transform-runs/:run_id',
  errors,
  cli: {
    words: 'transforms trigger',
    examples: [
      ['Run it, whether or not anything moved, and wait', 'weir transforms trigger orders-by-day --force --wait'],
      ['Rebuild its table from all rows of the inputs', 'weir transforms trigger orders-by-day --full --wait'],
    ],
  },
});

/** A run of a transform for an orchestrator run, and the snapshot that it made. */
export const Execution = Type.Object({
  run: TransformRun,
  snapshot_id: NumericSnapshotId({ nullable: true }),
  snapshot_id_exact: Nullable(Type.String({ description: 'The snapshot that the run made; null until it has' })),
});

/** `POST /transforms/{transform_id}/execute` */
export const executeTransform = endpoint({
  id: 'transforms.execute',
  method: 'POST',
  path: '/transforms/:transform_id/execute',
  summary: 'Run a transform for an orchestrator run, once; a repeated call answers that run',
  description:
    'For orchestrators. People use materialize. The row is that of the transform and the orchestrator run alone: a run of another transform is never answered.',
  access: runTransforms,
  params,
  query: startQuery,
  body: Closed({
    orchestrator_run_id: Type.String({ minLength: 1, maxLength: MAX_ORCHESTRATOR_RUN_CHARS, pattern: '^[!-~]+$' }),
    force,
    full,
  }),
  example: { orchestrator_run_id: 'nightly-2026-11-24' },
  response: Execution,
  errors,
});

/** `POST /transform-runs/{run_id}/cancel` */
export const cancelTransformRun = endpoint({
  id: 'transforms.cancel_transform_run',
  method: 'POST',
  path: '/transform-runs/:run_id/cancel',
  summary: 'Cancel a run of a transform; its output stays as it is',
  description: 'May be repeated while the run is open.',
  access: runTransforms,
  params: Closed({ run_id: idOf('run') }),
  response: Type.Object({
    run_id: Id,
    transform_id: Id,
    outcome: OneOf(['cancelling', 'cancelled'], {
      description: 'cancelled when nobody had the run in hands; cancelling until its worker has ended it',
    }),
  }),
  status: 202,
  location: '/transform-runs/:run_id',
  errors: [kernelProblems.notFound, runProblems.runNotActive],
  cli: 'transforms cancel',
});
