import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  Readiness,
  RUN_STATUSES,
  runFacts,
  runProblems,
} from '@weir/kernel/contract';
import { GroupStepShape } from '@weir/plugin-transforms/contract';
import { readPipelines, runPipelines } from './access.ts';
import { pipelineProblems, stepProblems } from './problems.ts';

/** The kinds of run of pipelines. */
export const PIPELINE_RUN = 'pipeline';
export const PIPELINE_SANDBOX = 'pipeline_sandbox';

/** Rows of each step that a rehearsal keeps at most. */
export const MAX_SAMPLE_ROWS = 20;

/** Why a run was started. */
export const RUN_CAUSES = ['manual', 'schedule', 'workflow', 'resume', 'promotion'] as const;
export type RunCause = (typeof RUN_CAUSES)[number];

/** A run of a pipeline. */
export const PipelineRun = Type.Object({
  ...runFacts,
  pipeline_id: Id,
  version: Nullable(Type.Integer({ description: 'Null of a rehearsal' })),
  fingerprint: Type.String(),
  publish: OneOf(['together', 'each', 'none'], { description: 'none: a rehearsal' }),
  why: Type.Object({
    kind: OneOf(RUN_CAUSES),
    run_id: Nullable({ ...Id, description: 'The run whose written steps were to be taken over' }),
  }),
  resumed_run_id: Nullable(Id),
  steps: Type.Object({
    total: Type.Integer(),
    succeeded: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
  }),
  published: Type.Boolean({ description: 'A table has changed by it' }),
  outputs: Type.Array(Type.Object({ dataset_id: Type.String(), snapshot_id: Type.String() }), {
    description: 'What it published',
  }),
});
export type PipelineRunView = Static<typeof PipelineRun>;

const params = Closed({ pipeline_id: idOf('pipeline') });
const query = Closed({
  queue: Type.Optional(
    Type.Boolean({ default: false, description: 'Let the run wait when no worker polls for it at the moment' }),
  ),
});
const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Run every step even when neither definition nor input has changed' }),
);
const full = Type.Optional(
  Type.Boolean({ default: false, description: 'Rebuild every output whole, whatever its materialization' }),
);
const version = Type.Optional(Type.Integer({ minimum: 1, description: 'The active one unless given' }));
const starting = [
  kernelProblems.notFound,
  stepProblems.stepsNotReady,
  stepProblems.stepsRefused,
  stepProblems.catalogMovesOneTable,
  runProblems.runAlreadyActive,
  runProblems.noWorker,
];

/** `POST /pipelines/{pipeline_id}/run` (ours) */
export const runPipeline = endpoint({
  id: 'pipelines.run_pipeline',
  method: 'POST',
  path: '/pipelines/:pipeline_id/run',
  summary: 'Run a pipeline: its tables change together, or stay as they are',
  description:
    'resume_run_id names a run that failed or was cancelled: what its steps have written is taken over where nothing has moved. promote_run_id names a rehearsal in the same way, which publishes the very rows that were looked at.',
  access: runPipelines,
  params,
  query,
  body: Type.Optional(
    Closed({
      version,
      force,
      full,
      resume_run_id: Type.Optional(Type.String({ format: 'uuid', description: 'A run that failed or was cancelled' })),
      promote_run_id: Type.Optional(Type.String({ format: 'uuid', description: 'A rehearsal that succeeded' })),
    }),
  ),
  example: { force: true },
  response: Accepted,
  status: 202,
  location: '/pipelines/:pipeline_id/runs/:run_id',
  errors: [
    ...starting,
    pipelineProblems.pipelineNotActivated,
    pipelineProblems.pipelinePaused,
    pipelineProblems.pipelineNotReady,
    stepProblems.resumeRefused,
  ],
  cli: {
    words: 'pipelines run',
    examples: [
      ['Run it, and wait for its end', 'weir pipelines run daily-revenue --wait'],
      ['Resume from the step that failed', 'weir pipelines run daily-revenue --resume-run-id <run>'],
    ],
  },
});

/** `POST /pipelines/{pipeline_id}/sandbox` */
export const sandboxPipeline = endpoint({
  id: 'pipelines.sandbox_pipeline',
  method: 'POST',
  path: '/pipelines/:pipeline_id/sandbox',
  summary: 'Rehearse a pipeline: every step runs on real rows, and nothing is published',
  access: runPipelines,
  params,
  query,
  body: Type.Optional(
    Closed({
      force,
      full,
      sample_rows: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_SAMPLE_ROWS,
          default: MAX_SAMPLE_ROWS,
          description: 'Rows of each step that are kept to be looked at',
        }),
      ),
    }),
  ),
  example: { sample_rows: 5 },
  response: Accepted,
  status: 202,
  location: '/pipelines/:pipeline_id/sandbox/:workflow_id/status',
  errors: [...starting, pipelineProblems.pipelineNotValidated],
  cli: 'pipelines sandbox',
});

/** A step of a run with what it has written. */
const RunStep = Type.Object({
  ...GroupStepShape.properties,
  columns: Nullable(
    Type.Array(Type.Object({ name: Type.String(), type: Type.String() }), {
      description: 'Of its table; null until it has written, and where it publishes at once',
    }),
  ),
});
const Rows = Type.Object({
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  rows: Type.Array(Type.Array(Type.Unknown())),
});
const SandboxStep = Type.Object({
  ...RunStep.properties,
  sample: Nullable(
    Type.Unsafe<Static<typeof Rows>>({ ...Rows, description: 'Its first rows; null without the right to query' }),
  ),
});

/** `GET /pipelines/{pipeline_id}/sandbox/{workflow_id}/status` */
export const getSandboxStatus = endpoint({
  id: 'pipelines.get_sandbox_status',
  method: 'GET',
  path: '/pipelines/:pipeline_id/sandbox/:workflow_id/status',
  summary: 'Read a rehearsal: each step with its rows, columns, checks and first rows',
  description: 'The id is that of the workflow or of the run.',
  access: readPipelines,
  params: Closed({
    pipeline_id: idOf('pipeline'),
    workflow_id: Type.String({ minLength: 1, maxLength: 200, description: 'Workflow id, or run id' }),
  }),
  response: Type.Object({ ...PipelineRun.properties, steps: Type.Array(SandboxStep) }),
  errors: [kernelProblems.notFound],
  cli: 'pipelines sandbox-status',
});

/** `GET /pipelines/{pipeline_id}/runs` */
export const listPipelineRuns = endpoint({
  id: 'pipelines.list_pipeline_runs',
  method: 'GET',
  path: '/pipelines/:pipeline_id/runs',
  summary: 'List the runs of a pipeline, newest first',
  access: readPipelines,
  params,
  query: listQuery(['-created_at'], {
    status: Type.Optional(OneOf(RUN_STATUSES, { description: 'Only runs of this status' })),
    sandbox: Type.Optional(Type.Boolean({ description: 'Only rehearsals, or only runs that publish' })),
  }),
  response: Page(PipelineRun),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'pipelines runs',
    columns: [
      'run_id',
      'status',
      'version',
      'publish',
      'why.kind as why',
      'steps.succeeded as done',
      'steps.total as steps',
      'created_at',
      'ended_at',
      'failure.code as code',
    ],
  },
});

/** `GET /pipelines/{pipeline_id}/runs/{run_id}` (ours) */
export const getPipelineRun = endpoint({
  id: 'pipelines.get_pipeline_run',
  method: 'GET',
  path: '/pipelines/:pipeline_id/runs/:run_id',
  summary: 'Read a run of a pipeline with its steps',
  access: readPipelines,
  params: Closed({ pipeline_id: idOf('pipeline'), run_id: idOf('run') }),
  response: Type.Object({ ...PipelineRun.properties, steps: Type.Array(RunStep) }),
  errors: [kernelProblems.notFound],
});

/** `GET /pipelines/{pipeline_id}/readiness` (ours) */
export const readPipelineReadiness = endpoint({
  id: 'pipelines.read_pipeline_readiness',
  method: 'GET',
  path: '/pipelines/:pipeline_id/readiness',
  summary: 'Read the checks that a run of a pipeline must pass',
  access: readPipelines,
  params,
  response: Readiness,
  errors: [kernelProblems.notFound],
  cli: 'pipelines readiness',
});

/** The body by which a pipeline is started as a workflow; by a pattern, as that check knows no formats. */
export const PipelineStart = Closed({
  pipeline_id: Type.String({ pattern: '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
  version,
  force,
  full,
});
