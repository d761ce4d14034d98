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
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { readTransforms, writeTransforms } from './access.ts';
import { ArtifactContentShape } from './artifacts.ts';
import { transformProblems } from './problems.ts';
import { params, Transform, TransformDefinition } from './transforms.ts';

/** A transform with what its runs carry out from now on. */
const Hydrated = Type.Object({
  ...Transform.properties,
  artifact: ArtifactContentShape,
  full_run_needed: Nullable(
    OneOf(['partitions_differ'], {
      description:
        'Why the next run has to be asked for as full: the output is divided by other columns than `partition_by` names. Null where it need not',
    }),
  ),
});

const hydrateErrors = [
  ...[kernelProblems.notFound, kernelProblems.conflict, kernelProblems.preconditionFailed],
  ...[datasetProblems.datasetNotReadable, transformProblems.outputTaken],
  ...[transformProblems.inputMissing, transformProblems.outputIsInput, transformProblems.materializationRefused],
  ...[transformProblems.checksRefused, transformProblems.sqlRefused],
  ...[transformProblems.sqlBoundMet, transformProblems.sqlStopped],
];

/** `POST /transforms/{transform_id}/hydrate` */
export const hydrateTransform = endpoint({
  id: 'transforms.hydrate_transform',
  method: 'POST',
  path: '/transforms/:transform_id/hydrate',
  summary: 'Check the draft of a transform and put it in force, or check again what is in force',
  description:
    'Reads the statement against its inputs as they are now: which tables it reads, the columns and types of its result, and where each column comes from. The result is an artifact, which runs carry out; with it the draft becomes the next version. When it is refused, the version in force and the draft stay as they are. If-Match takes the etag of the draft. The same content makes the same artifact, and no new version.',
  access: writeTransforms,
  params,
  response: Hydrated,
  errors: hydrateErrors,
  cli: 'transforms hydrate',
});

/** Most versions that a transform can have. */
const MAX_VERSION = 1_000_000;
const Version = Type.Integer({ minimum: 1, maximum: MAX_VERSION, description: 'Number of a version, from 1' });

const facts = {
  transform_id: Id,
  version: Version,
  artifact_id: Type.String({ description: 'What runs of the version carry out' }),
  changes: Type.Array(Type.String(), {
    description: 'What differs from the version that was in force before, in words; empty for the first',
  }),
  restored_from: Nullable({ ...Version, description: 'The version that was restored by it' }),
  in_force: Type.Boolean({ description: 'Whether runs carry it out now' }),
  created_by: Type.String(),
  created_at: Timestamp,
};

/** A definition that was put in force; it never changes. */
export const TransformVersionFacts = Type.Object(facts);
export const TransformVersion = Type.Object({ ...facts, ...TransformDefinition.properties });
export type TransformVersionView = Static<typeof TransformVersion>;
export type TransformVersionFactsView = Static<typeof TransformVersionFacts>;

const versionParams = Closed({ transform_id: idOf('transform'), version: Version });

/** `GET /transforms/{transform_id}/versions` (ours) */
export const listTransformVersions = endpoint({
  id: 'transforms.list_transform_versions',
  method: 'GET',
  path: '/transforms/:transform_id/versions',
  summary: 'List the versions of a transform, newest first: who put which in force, when, and what changed',
  access: readTransforms,
  params,
  query: listQuery(['version'], {}),
  response: Page(TransformVersionFacts),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'transforms versions list',
    columns: ['version', 'in_force', 'changes', 'restored_from', 'created_by', 'created_at', 'artifact_id'],
  },
});

/** `GET /transforms/{transform_id}/versions/{version}` (ours) */
export const getTransformVersion = endpoint({
  id: 'transforms.get_transform_version',
  method: 'GET',
  path: '/transforms/:transform_id/versions/:version',
  summary: 'Read a version of a transform: its whole definition',
  access: readTransforms,
  params: versionParams,
  response: TransformVersion,
  errors: [kernelProblems.notFound],
  cli: 'transforms versions get',
});

/** `POST /transforms/{transform_id}/versions/{version}/restore` (ours) */
export const restoreTransformVersion = endpoint({
  id: 'transforms.restore_transform_version',
  method: 'POST',
  path: '/transforms/:transform_id/versions/:version/restore',
  summary: 'Put the definition of an earlier version in force again, as the next version',
  description:
    'The definition is hydrated against its inputs as they are now, and refused as hydrate refuses it; then nothing changes. A draft stays beside it. If-Match takes the etag of the transform.',
  access: writeTransforms,
  params: versionParams,
  response: Hydrated,
  errors: hydrateErrors,
  cli: 'transforms versions restore',
});
