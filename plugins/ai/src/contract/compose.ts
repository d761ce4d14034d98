import { type Static, Type } from '@sinclair/typebox';
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
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { useAi } from './access.ts';
import { enveloped } from './envelope.ts';
import { aiProblems } from './problems.ts';
import { DatasetIds, EntityTypeCode, MAX_AI_BYTES, Review, text } from './shapes.ts';
import { MappingSource, MappingTarget } from './suggest.ts';

/** What a composition does, in this order. */
export const PHASES = ['plan', 'select', 'generate', 'validate', 'assemble'] as const;
export type Phase = (typeof PHASES)[number];
export const MAX_STEPS = 12;

const ComposedStep = Type.Object({
  step_id: Type.String(),
  transform_id: Type.Optional(Id),
  transform: Type.Optional(
    Type.Object({ name: Type.String(), sql: Type.String(), output: Type.String(), description: Type.String() }),
  ),
});

export const Composed = Type.Object({
  pipeline: Type.Object(
    { name: Type.String(), description: Type.String(), steps: Type.Array(ComposedStep), publish: OneOf(['together']) },
    { description: 'As creating a pipeline takes it' },
  ),
  dag_validation: Type.Object({
    valid: Type.Boolean(),
    waves: Type.Array(Type.Array(Type.String()), { description: 'Step ids, those of a wave after those before it' }),
    faults: Type.Array(Type.Object({ code: Type.String(), step_id: Type.String() })),
  }),
  reviews: Type.Array(Type.Object({ step_id: Type.String(), ...Review.properties })),
});
export type ComposedView = Static<typeof Composed>;

/** `POST /ai/compose-pipeline` */
export const composePipeline = endpoint({
  id: 'ai.compose_pipeline',
  method: 'POST',
  path: '/ai/compose-pipeline',
  summary: 'Start to propose a pipeline that reaches a goal in steps',
  description:
    'A worker of the role general does it. Each sentence of the goal is a step, which reads what the one before it makes. The goal is kept until the work has ended, and not longer.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    goal: text(4_000, 'What the tables should hold, a sentence for each step'),
    dataset_ids: Type.Unsafe<string[]>({ ...DatasetIds, minItems: 1, description: 'Datasets to begin with' }),
    entity_type_code: Type.Optional(EntityTypeCode),
    max_steps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_STEPS, default: MAX_STEPS })),
  }),
  example: { goal: 'rows where status is paid; sum of total by country', dataset_ids: ['bronze.demo.shop__orders'] },
  status: 202,
  location: '/ai/compose-pipeline/:execution_id/status',
  response: Type.Object({
    ...Accepted.properties,
    execution_id: Id,
    trace_id: Type.String(),
    status_url: Type.String({ description: 'Where the progress is read' }),
  }),
  errors: [
    ...[kernelProblems.notFound, kernelProblems.payloadTooLarge, kernelProblems.dependencyUnavailable],
    ...[datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable, runProblems.noWorker],
    ...[aiProblems.unsupportedRequest, aiProblems.budgetExceeded],
  ],
  cli: 'ai compose',
});

/** `GET /ai/compose-pipeline/{execution_id}/status` */
export const getComposeStatus = endpoint({
  id: 'ai.get_compose_status',
  method: 'GET',
  path: '/ai/compose-pipeline/:execution_id/status',
  summary: 'Read how far a composition has come, and the pipeline that it proposes',
  access: useAi,
  params: Closed({ execution_id: idOf('execution') }),
  response: Type.Object({
    ...enveloped(Nullable(Composed)).properties,
    run_id: Nullable(Id),
    phase: Nullable(OneOf(PHASES)),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
  }),
  errors: [kernelProblems.notFound],
  cli: 'ai compose-status',
});

/** What the start of a schema match takes. */
export const SchemaMatchStart = Closed({ source: MappingSource, target: MappingTarget });
