import { type Static, Type } from '@sinclair/typebox';
import { Closed, EXAMPLE_ID, endpoint, kernelProblems, Nullable, OneOf } from '@weir/kernel/contract';
import { writePipelines } from './access.ts';
import { GivenSteps, PIPELINE_PUBLISH, StepInput } from './pipelines.ts';

/** What keeps steps from being carried out as one. */
export const DAG_FAULTS = [
  'steps_empty',
  'step_doubled',
  'step_unknown',
  'transform_unknown',
  'transform_archived',
  'not_hydrated',
  'cycle',
  'output_doubled',
  'output_taken',
  'input_missing',
  'input_not_made',
  'dataset_not_readable',
  'dataset_unreadable',
  'column_missing',
  'column_type_changed',
  'together_impossible',
] as const;
export type DagFaultCode = (typeof DAG_FAULTS)[number];

const DagFault = Type.Object({
  code: OneOf(DAG_FAULTS),
  step_id: Nullable(Type.String({ description: 'Null where it is about the pipeline' })),
  pointer: Type.String({ description: 'JSON pointer to the step' }),
  detail: Type.String(),
  dataset_id: Type.Optional(Type.String()),
  column: Type.Optional(Type.String()),
  other_step_id: Type.Optional(Type.String()),
  path: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Of a cycle: the steps in order, those of another pipeline as its name, a slash and the step',
    }),
  ),
});
export type DagFaultView = Static<typeof DagFault>;

/** What validating found. */
export const Validation = Type.Object({
  valid: Type.Boolean(),
  fingerprint: Type.String(),
  waves: Type.Array(Type.Array(Type.String()), {
    description: 'Step ids: those of a wave wait for steps of the waves before it',
  }),
  steps: Type.Array(
    Type.Object({
      step_id: Type.String(),
      inputs: Type.Array(StepInput),
      output: Nullable(Type.String()),
      columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    }),
  ),
  faults: Type.Array(DagFault),
});
export type ValidationView = Static<typeof Validation>;

/** `POST /pipelines/validate-dag` */
export const validateDag = endpoint({
  id: 'pipelines.validate_dag',
  method: 'POST',
  path: '/pipelines/validate-dag',
  summary: 'Find every fault of a pipeline, or of steps, before anything runs',
  description:
    'Of a pipeline that has no fault it is noted that these steps are valid. Steps are tried, and nothing is stored.',
  access: writePipelines,
  body: Closed({
    pipeline_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'The pipeline whose steps are looked at, in place of steps' }),
    ),
    steps: Type.Optional(GivenSteps),
    publish: Type.Optional(OneOf(PIPELINE_PUBLISH, { default: 'together' })),
  }),
  example: { pipeline_id: EXAMPLE_ID },
  declarative: true,
  response: Validation,
  errors: [kernelProblems.notFound],
  cli: 'pipelines validate',
});
