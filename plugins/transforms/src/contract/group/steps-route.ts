import { Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  Nullable,
  OneOf,
  RUN_STATUSES,
  Timestamp,
} from '@weir/kernel/contract';
import { readTransforms } from '../access.ts';
import { PUBLISH_MODES } from './groups.ts';

const digits = (description: string) => Nullable(Type.String({ description: `${description}, in decimal digits` }));

/** A step of a whole. */
const Step = Type.Object({
  step_id: Type.String(),
  run_id: Id,
  transform_id: Id,
  name: Type.String({ description: 'Of the transform' }),
  status: OneOf(RUN_STATUSES),
  after: Type.Array(Type.String(), { description: 'The steps that it waits for' }),
  output: Type.String(),
  rows_in: digits('Rows that it read, of a step that does not publish by itself'),
  rows: digits('Rows that it wrote'),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  code: Nullable(Type.String({ description: 'Of its failure, or why it was skipped' })),
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
