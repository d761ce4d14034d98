import { type Static, Type } from '@sinclair/typebox';
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
  Timestamp,
} from '@weir/kernel/contract';
import { readPipelines, writePipelines } from './access.ts';
import { PIPELINE_PUBLISH, params, STORABLE } from './pipelines.ts';
import { pipelineProblems } from './problems.ts';

const MAX_NOTE_CHARS = 2_000;

/** A step of a version: the artifact is that of the moment at which the version was made. */
export const VersionStep = Type.Object({
  step_id: Type.String(),
  transform_id: Id,
  transform_name: Type.String(),
  artifact_id: Type.String(),
  output: Type.String(),
  after: Type.Array(Type.String()),
});
export type VersionStepView = Static<typeof VersionStep>;

/** A version of a pipeline, which never changes. */
export const PipelineVersion = Type.Object({
  pipeline_id: Id,
  version: Type.Integer(),
  fingerprint: Type.String(),
  publish: OneOf(PIPELINE_PUBLISH),
  steps: Type.Array(VersionStep),
  note: Nullable(Type.String()),
  active: Type.Boolean(),
  created_by: Type.String(),
  created_at: Timestamp,
});
export type PipelineVersionView = Static<typeof PipelineVersion>;

const versionParams = Closed({
  pipeline_id: idOf('pipeline'),
  version: Type.Integer({ minimum: 1, description: 'Number of the version' }),
});

/** `POST /pipelines/{pipeline_id}/versions` */
export const createVersion = endpoint({
  id: 'pipelines.create_pipeline_version',
  method: 'POST',
  path: '/pipelines/:pipeline_id/versions',
  summary: 'Make a version of the steps as they are: each with the artifact that is in force now',
  description: 'When the newest version has these very steps it is answered.',
  access: writePipelines,
  params,
  body: Type.Optional(
    Closed({
      note: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NOTE_CHARS, pattern: STORABLE })),
    }),
  ),
  example: { note: 'Sums by day' },
  response: PipelineVersion,
  status: 201,
  location: '/pipelines/:pipeline_id/versions/:version',
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, pipelineProblems.pipelineNotValidated],
  cli: 'pipelines versions create',
});

/** `GET /pipelines/{pipeline_id}/versions` (ours) */
export const listVersions = endpoint({
  id: 'pipelines.list_pipeline_versions',
  method: 'GET',
  path: '/pipelines/:pipeline_id/versions',
  summary: 'List the versions of a pipeline, newest first',
  access: readPipelines,
  params,
  query: listQuery(['-version'], {}),
  response: Page(PipelineVersion),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'pipelines versions list',
    columns: ['version', 'active', 'publish', 'note', 'created_by', 'created_at'],
  },
});

/** `GET /pipelines/{pipeline_id}/versions/{version}` (ours) */
export const getVersion = endpoint({
  id: 'pipelines.get_pipeline_version',
  method: 'GET',
  path: '/pipelines/:pipeline_id/versions/:version',
  summary: 'Read a version of a pipeline',
  access: readPipelines,
  params: versionParams,
  response: PipelineVersion,
  errors: [kernelProblems.notFound],
});

/** `GET /pipelines/{pipeline_id}/versions/{version}/difference` (ours) */
export const readDifference = endpoint({
  id: 'pipelines.read_pipeline_difference',
  method: 'GET',
  path: '/pipelines/:pipeline_id/versions/:version/difference',
  summary: 'Read what differs between two versions of a pipeline',
  access: readPipelines,
  params: versionParams,
  query: Closed({
    to: Type.Optional(Type.Integer({ minimum: 1, description: 'The other version; the newest unless given' })),
  }),
  response: Type.Object({
    from: Type.Integer(),
    to: Type.Integer(),
    same: Type.Boolean(),
    publish: Nullable(Type.Object({ from: OneOf(PIPELINE_PUBLISH), to: OneOf(PIPELINE_PUBLISH) })),
    steps: Type.Array(
      Type.Object({
        step_id: Type.String(),
        change: OneOf(['added', 'removed', 'changed']),
        members: Type.Array(Type.String(), { description: 'What differs of a step that both have' }),
        from: Nullable(VersionStep),
        to: Nullable(VersionStep),
      }),
    ),
  }),
  errors: [kernelProblems.notFound],
  cli: 'pipelines difference',
});
