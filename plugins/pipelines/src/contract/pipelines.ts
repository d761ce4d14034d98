import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  EXAMPLE_ID,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Name,
  Nullable,
  OneOf,
  Page,
  paging,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { createTransform } from '@weir/plugin-transforms/contract';
import { readPipelines, writePipelines } from './access.ts';
import { pipelineProblems, stepProblems } from './problems.ts';
import { PipelineRun } from './runs.ts';

/** The topic of hints about pipelines, and the subject of their checks. */
export const PIPELINE = 'pipeline';

/** Steps that a pipeline has at most. */
export const MAX_PIPELINE_STEPS = 500;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_REASON_CHARS = 500;
const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
/** Neither NUL nor half of a surrogate pair. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

/** How far the steps as they are now have come. */
export const DRAFT_STATES = ['draft', 'validated', 'sandboxed', 'same_as_active'] as const;
export type DraftState = (typeof DRAFT_STATES)[number];
/** Once a version is active a pipeline is activated or paused, however far its steps have come. */
export const PIPELINE_STATUSES = ['draft', 'validated', 'sandboxed', 'activated', 'paused'] as const;
export type PipelineStatus = (typeof PIPELINE_STATUSES)[number];
/** `together`: the tables of a run change in one commit, or none does; `each`: every table as its step ends. */
export const PIPELINE_PUBLISH = ['together', 'each'] as const;
export type PipelinePublish = (typeof PIPELINE_PUBLISH)[number];

const StepId = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'Unique within the pipeline: a lower-case letter, then lower-case letters, digits, _ and -',
});
const After = Type.Array(StepId, {
  maxItems: MAX_PIPELINE_STEPS,
  uniqueItems: true,
  description: 'Steps that end first although nothing of theirs is read; what is read is in order by itself',
});
const TransformId = Type.String({ pattern: UUID, description: 'The transform that the step carries out' });
const NewTransform = Type.Unsafe<Static<NonNullable<(typeof createTransform)['body']>>>({
  ...(createTransform.body as object),
  description: 'A transform that is made in the same call, in place of transform_id',
});

/** A step as a request gives it. */
export const GivenStep = Closed({
  step_id: StepId,
  transform_id: Type.Optional(TransformId),
  transform: Type.Optional(NewTransform),
  after: Type.Optional(After),
});
export type GivenStepBody = Static<typeof GivenStep>;

export const GivenSteps = Type.Array(GivenStep, { maxItems: MAX_PIPELINE_STEPS });
const Publish = OneOf(PIPELINE_PUBLISH, {
  default: 'together',
  description: 'together: all tables change in one commit, or none does; each: every table as its step ends',
});
const Description = Type.String({ maxLength: MAX_DESCRIPTION_CHARS, pattern: STORABLE });

/** What a step reads: a table, and the step that writes it. */
export const StepInput = Type.Object({
  dataset_id: Type.String(),
  from_step: Nullable(Type.String({ description: 'The step of the pipeline that writes it' })),
});

/** A step of a pipeline. */
export const PipelineStep = Type.Object({
  step_id: Type.String(),
  transform_id: Id,
  transform_name: Nullable(Type.String()),
  after: Type.Array(Type.String()),
  inputs: Type.Array(StepInput, { description: 'What the version in force of the transform reads' }),
  output: Nullable(Type.String({ description: 'The table that it writes' })),
  artifact_id: Nullable(Type.String({ description: 'Null until the transform is hydrated' })),
});

const Noted = { at: Timestamp, by: Type.String() };

/** A pipeline as it is read. */
export const Pipeline = Type.Object({
  pipeline_id: Id,
  name: Name,
  description: Nullable(Type.String()),
  status: OneOf(PIPELINE_STATUSES),
  draft_state: OneOf(DRAFT_STATES, {
    description: 'How far the steps as they are now have come; same_as_active: they are those of the active version',
  }),
  fingerprint: Type.String({
    description: 'SHA-256 over steps, artifacts and publish: it changes when one of them does',
  }),
  steps: Type.Array(PipelineStep),
  publish: OneOf(PIPELINE_PUBLISH),
  active_version: Nullable(Type.Integer()),
  latest_version: Nullable(Type.Integer()),
  validated: Nullable(Type.Object(Noted, { description: 'When these steps were validated; null after a change' })),
  sandboxed: Nullable(
    Type.Object({ ...Noted, run_id: Id }, { description: 'The rehearsal of these steps; null after a change' }),
  ),
  paused: Nullable(Type.Object({ ...Noted, reason: Nullable(Type.String()) })),
  schedule: Nullable(Type.Object({ paused: Type.Boolean(), next_run_at: Nullable(Timestamp) })),
  last_run: Nullable(PipelineRun),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Type.String(),
});
export type PipelineView = Static<typeof Pipeline>;

export const params = Closed({ pipeline_id: idOf('pipeline') });
const making = [
  pipelineProblems.pipelineNameTaken,
  stepProblems.stepsRefused,
  stepProblems.transformNameTaken,
  stepProblems.outputTaken,
  stepProblems.outputRefused,
  stepProblems.materializationRefused,
  stepProblems.statementUnclear,
  stepProblems.patternUnknown,
  stepProblems.patternParametersInvalid,
  stepProblems.outputIsInput,
  stepProblems.checksRefused,
];
const example = {
  name: 'daily-revenue',
  steps: [
    { step_id: 'clean', transform_id: EXAMPLE_ID },
    { step_id: 'sums', transform_id: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d91' },
  ],
  publish: 'together' as const,
};

/** What commands that change a pipeline show of it. */
const SHOWN = ['name', 'status', 'draft_state', 'publish', 'active_version', 'latest_version', 'pipeline_id'];

/** `POST /pipelines` */
export const createPipeline = endpoint({
  id: 'pipelines.create_pipeline',
  method: 'POST',
  path: '/pipelines',
  summary: 'Create a pipeline of transforms',
  description: 'Which step waits for which follows from the tables that their statements read.',
  access: writePipelines,
  body: Closed({
    name: Name,
    description: Type.Optional(Nullable(Description)),
    steps: Type.Optional(GivenSteps),
    publish: Type.Optional(Publish),
  }),
  example,
  declarative: true,
  response: Pipeline,
  status: 201,
  location: '/pipelines/:pipeline_id',
  errors: making,
  cli: {
    words: 'pipelines create',
    columns: SHOWN,
    examples: [['From a file', 'weir pipelines create -f revenue.yaml']],
  },
});

/** `GET /pipelines` */
export const listPipelines = endpoint({
  id: 'pipelines.list_pipelines',
  method: 'GET',
  path: '/pipelines',
  summary: 'List the pipelines of the tenant',
  access: readPipelines,
  query: listQuery(['name', 'created_at', 'updated_at'], {
    status: Type.Optional(OneOf(PIPELINE_STATUSES, { description: 'Only pipelines of this status' })),
    name: Type.Optional({ ...Name, description: 'Only the pipeline of this name' }),
    transform_id: Type.Optional({ ...Id, description: 'Only pipelines that have this transform' }),
    dataset_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 602, description: 'Only pipelines that write this table' }),
    ),
  }),
  response: Page(Pipeline),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'pipelines list',
    columns: [
      'name',
      'status',
      'draft_state',
      'active_version',
      'last_run.status as last_run',
      'schedule.next_run_at as next_run',
      'updated_at',
    ],
  },
});

/** `GET /pipelines/{pipeline_id}` */
export const getPipeline = endpoint({
  id: 'pipelines.get_pipeline',
  method: 'GET',
  path: '/pipelines/:pipeline_id',
  summary: 'Read a pipeline with its steps',
  access: readPipelines,
  params,
  response: Pipeline,
  errors: [kernelProblems.notFound],
  cli: 'pipelines get',
});

/** `PUT /pipelines/{pipeline_id}` */
export const putPipeline = endpoint({
  id: 'pipelines.put_pipeline',
  method: 'PUT',
  path: '/pipelines/:pipeline_id',
  summary: 'Replace name, description, steps and publish of a pipeline; what is active stays as it is',
  access: writePipelines,
  params,
  body: Closed({
    name: Name,
    description: Type.Optional(Nullable(Description)),
    steps: Type.Optional(GivenSteps),
    publish: Type.Optional(Publish),
  }),
  example,
  declarative: true,
  response: Pipeline,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, ...making],
  cli: { words: 'pipelines change', columns: SHOWN },
});

/** `DELETE /pipelines/{pipeline_id}` */
export const deletePipeline = endpoint({
  id: 'pipelines.delete_pipeline',
  method: 'DELETE',
  path: '/pipelines/:pipeline_id',
  summary: 'Delete a pipeline and its schedule; its transforms and tables stay',
  access: writePipelines,
  params,
  status: 204,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, runProblems.runAlreadyActive],
  cli: { words: 'pipelines delete', confirm: 'Delete the pipeline and its schedule? Transforms and tables stay.' },
});

/** `PATCH /pipelines/{pipeline_id}/steps/{step_id}` */
export const changeStep = endpoint({
  id: 'pipelines.change_pipeline_step',
  method: 'PATCH',
  path: '/pipelines/:pipeline_id/steps/:step_id',
  summary: 'Change one step of a pipeline; what is active stays as it is',
  access: writePipelines,
  params: Closed({ pipeline_id: idOf('pipeline'), step_id: StepId }),
  body: Closed(
    {
      transform_id: Type.Optional(TransformId),
      transform: Type.Optional(NewTransform),
      after: Type.Optional(Nullable(After)),
    },
    { minProperties: 1 },
  ),
  example: { transform_id: EXAMPLE_ID },
  declarative: true,
  response: Pipeline,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, ...making],
  cli: { words: 'pipelines change-step', columns: SHOWN },
});

/** `POST /pipelines/{pipeline_id}/activate` */
export const activatePipeline = endpoint({
  id: 'pipelines.activate_pipeline',
  method: 'POST',
  path: '/pipelines/:pipeline_id/activate',
  summary: 'Let runs carry out a version that was rehearsed; also resumes a paused pipeline',
  description:
    'Without a version the steps as they are now, of which a version is made when it is missing; of a paused pipeline whose steps were not rehearsed the version that was active. An older version that was rehearsed is the way back.',
  access: writePipelines,
  params,
  body: Type.Optional(Closed({ version: Type.Optional(Type.Integer({ minimum: 1 })) })),
  example: { version: 1 },
  response: Pipeline,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    pipelineProblems.pipelineNotSandboxed,
    stepProblems.catalogMovesOneTable,
  ],
  cli: {
    words: 'pipelines activate',
    columns: SHOWN,
    examples: [['Go back to an earlier version', 'weir pipelines activate daily-revenue --version 1']],
  },
});

/** `POST /pipelines/{pipeline_id}/pause` */
export const pausePipeline = endpoint({
  id: 'pipelines.pause_pipeline',
  method: 'POST',
  path: '/pipelines/:pipeline_id/pause',
  summary: 'Let no run of a pipeline start; an open one continues',
  access: writePipelines,
  params,
  body: Type.Optional(
    Closed({
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_REASON_CHARS,
          pattern: STORABLE,
          description: 'Shown to all who read it',
        }),
      ),
    }),
  ),
  example: { reason: 'The source is wrong since this morning' },
  response: Pipeline,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, pipelineProblems.pipelineNotActivated],
  cli: { words: 'pipelines pause', columns: SHOWN },
});

/** A transform that may be a step. */
const AvailableTransform = Type.Object({
  transform_id: Id,
  name: Type.String(),
  output: Type.String(),
  inputs: Type.Array(Type.String()),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  hydrated: Type.Boolean(),
  pipelines: Type.Array(Type.Object({ pipeline_id: Id, name: Type.String() }), {
    description: 'The pipelines that have it already',
  }),
});

/** `GET /pipelines/available-transforms` */
export const listAvailableTransforms = endpoint({
  id: 'pipelines.list_available_transforms',
  method: 'GET',
  path: '/pipelines/available-transforms',
  summary: 'List the transforms that may be steps, with what each reads and writes',
  access: readPipelines,
  query: Closed({
    ...paging(),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: STORABLE,
        description: 'In the name, or the table that it writes',
      }),
    ),
  }),
  response: Page(AvailableTransform),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'pipelines transforms', columns: ['name', 'output', 'inputs', 'hydrated', 'transform_id'] },
});
