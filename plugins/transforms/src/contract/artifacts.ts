import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, kernelProblems, listQuery, OneOf, Page, Timestamp } from '@weir/kernel/contract';
import { LineageColumn } from '@weir/plugin-lineage/contract';
import { readTransforms } from './access.ts';
import { Check } from './checks.ts';
import { MATERIALIZATIONS } from './transforms.ts';

/** The form of an artifact that is downloaded. */
export const ARTIFACT_DOCUMENT = 'application/json';

/** A column of the output. */
export const OutputColumn = Type.Object({
  name: Type.String(),
  type: Type.Unknown({ description: 'A word of the table format, or {struct}, {list}, {map} of types' }),
});

/** A column of an input. */
const ReadColumn = Type.Object({
  dataset_id: Type.String(),
  column: Type.String(),
  type: Type.String({ description: 'In the words of the table format' }),
});
export type ReadColumnView = Static<typeof ReadColumn>;

/** All that a run needs to know of a transform. */
export const ArtifactContentShape = Type.Object({
  runtime: Type.String({ description: 'The engine that carries it out, with its version' }),
  sql: Type.String(),
  output: Type.String(),
  materialization: OneOf(MATERIALIZATIONS),
  key: Type.Optional(Type.Array(Type.String())),
  partition_by: Type.Optional(Type.Array(Type.String())),
  incremental: Type.Optional(Type.String({ description: 'The input of which a run reads what is new' })),
  inputs: Type.Array(Type.String(), { description: 'Dataset ids' }),
  columns: Type.Array(OutputColumn),
  reads: Type.Optional(
    Type.Array(ReadColumn, {
      description: 'Columns of the inputs that the statement reads, as far as `lineage` knows',
    }),
  ),
  lineage: Type.Array(LineageColumn),
  checks: Type.Optional(Type.Array(Check, { description: 'Absent where there is none' })),
  clock: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Functions of the statement that read a clock: its runs are never skipped',
    }),
  ),
  chance: Type.Optional(
    Type.Array(Type.String(), { description: 'Functions of the statement that give another value at each call' }),
  ),
});
export type ArtifactContent = Static<typeof ArtifactContentShape>;

/** An artifact without its statement. */
export const Artifact = Type.Object({
  artifact_id: Type.String({ description: 'SHA-256 of the canonical JSON of the content' }),
  runtime: Type.String(),
  output: Type.String(),
  materialization: OneOf(MATERIALIZATIONS),
  inputs: Type.Array(Type.String()),
  columns: Type.Integer({ description: 'How many columns the output has' }),
  transform_ids: Type.Array(Id, { description: 'The transforms that were hydrated to it' }),
  created_at: Timestamp,
});
export type ArtifactView = Static<typeof Artifact>;

const params = Closed({
  artifact_id: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the content, in hex' }),
});

/** `GET /artifacts` */
export const listArtifacts = endpoint({
  id: 'transforms.list_artifacts',
  method: 'GET',
  path: '/artifacts',
  summary: 'List the artifacts of the tenant: what hydrated transforms are carried out as, newest first',
  access: readTransforms,
  query: listQuery(['created_at'], {
    transform_id: Type.Optional({ ...Id, description: 'Only artifacts of this transform' }),
  }),
  response: Page(Artifact),
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'artifacts list', columns: ['artifact_id', 'output', 'runtime', 'columns', 'created_at'] },
});

/** `GET /artifacts/{artifact_id}` */
export const getArtifact = endpoint({
  id: 'transforms.get_artifact',
  method: 'GET',
  path: '/artifacts/:artifact_id',
  summary: 'Read an artifact without its statement',
  access: readTransforms,
  params,
  response: Artifact,
  errors: [kernelProblems.notFound],
  cli: 'artifacts get',
});

/** `GET /artifacts/{artifact_id}/content` */
export const getArtifactContent = endpoint({
  id: 'transforms.get_artifact_content',
  method: 'GET',
  path: '/artifacts/:artifact_id/content',
  summary: 'Read the content of an artifact: statement, inputs, columns, lineage',
  access: readTransforms,
  params,
  response: ArtifactContentShape,
  errors: [kernelProblems.notFound],
  cli: 'artifacts content',
});

/** `GET /artifacts/{artifact_id}/download` */
export const downloadArtifact = endpoint({
  id: 'transforms.download_artifact',
  method: 'GET',
  path: '/artifacts/:artifact_id/download',
  summary: 'Download the content of an artifact as a file whose SHA-256 is its id',
  access: readTransforms,
  params,
  produces: [ARTIFACT_DOCUMENT],
  errors: [kernelProblems.notFound],
});
