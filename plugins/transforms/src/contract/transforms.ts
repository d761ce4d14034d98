import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Name,
  Nullable,
  OneOf,
  Page,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { readTransforms, writeTransforms } from './access.ts';
import { Check, Checks, STORABLE } from './checks.ts';
import { TransformOrigin } from './origin.ts';
import { transformProblems } from './problems.ts';
import { TransformRun } from './runs.ts';

/** The topic of hints about transforms. */
export const TRANSFORM_TOPIC = 'transform';

export const DIALECTS = ['duckdb'] as const;
/**
 * `full` replaces all rows of the output, `append` adds to them, `merge` replaces those of the same key,
 * `partition_overwrite` those of the partitions of the result.
 */
export const MATERIALIZATIONS = ['full', 'append', 'merge', 'partition_overwrite'] as const;
export type Materialization = (typeof MATERIALIZATIONS)[number];

const MAX_SQL_CHARS = 100_000;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_DATASET_ID_CHARS = 602;
const MAX_TAGS = 20;
const MAX_KEY_COLUMNS = 16;
const MAX_COLUMN_CHARS = 255;

export const Sql = Type.String({
  minLength: 1,
  maxLength: MAX_SQL_CHARS,
  pattern: STORABLE,
  description: 'One SELECT; tables by their dataset ids, such as bronze.acme.shop__orders',
});
const Tag = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' });
export const Output = Type.String({
  minLength: 1,
  maxLength: MAX_DATASET_ID_CHARS,
  description: 'The table that it writes: <layer>.<scope>.<table>, layer silver or gold, scope of the tenant',
});
const Description = Type.String({ maxLength: MAX_DESCRIPTION_CHARS, pattern: STORABLE });
const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, uniqueItems: true });
const columnNames = (description: string) => {
  const name = Type.String({ minLength: 1, maxLength: MAX_COLUMN_CHARS, pattern: STORABLE });
  return Type.Array(name, { maxItems: MAX_KEY_COLUMNS, uniqueItems: true, description });
};
const Key = columnNames('The columns of the result that name a row; of `merge`');
const PartitionColumns = columnNames('The columns of the result that divide the output; of `partition_overwrite`');
const Incremental = Type.String({
  minLength: 1,
  maxLength: MAX_DATASET_ID_CHARS,
  pattern: STORABLE,
  description:
    'The input, by dataset id, of which a run reads only what was committed since the last one; not of `full`',
});

/** In place of a statement. */
const pattern = {
  pattern_id: Type.Optional(
    Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$', description: 'The transform pattern that makes the statement' }),
  ),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Parameters of the pattern, by its schema' }),
  ),
};

/** What hydrating reads, and the form that it was made from. */
const definition = {
  sql: Type.String(),
  output: Type.String(),
  materialization: OneOf(MATERIALIZATIONS),
  key: Key,
  partition_by: PartitionColumns,
  incremental: Nullable(Incremental),
  checks: Type.Array(Check),
  origin: Nullable(TransformOrigin),
};
export const TransformDefinition = Type.Object(definition);
export type DefinitionView = Static<typeof TransformDefinition>;

/** A definition that was saved and is not in force. */
export const TransformDraft = Type.Object({
  ...definition,
  changes: Type.Array(Type.String(), {
    description: 'What differs from the definition in force, in words; empty while none is in force',
  }),
  updated_by: Type.String(),
  updated_at: Timestamp,
  etag: Type.String({ description: 'For If-Match of hydrate and of DELETE draft; changes with the draft alone' }),
});

/** A transform as it is read. */
export const Transform = Type.Object(
  {
    transform_id: Id,
    name: Name,
    description: Nullable(Type.String()),
    tags: Type.Array(Type.String()),
    dialect: OneOf(DIALECTS),
    ...definition,
    version: Nullable(
      Type.Integer({ description: 'The version in force, which runs carry out; null until the first hydrate' }),
    ),
    artifact_id: Nullable(
      Type.String({ description: 'The artifact of the version in force; null until the first hydrate' }),
    ),
    hydrated_at: Nullable(Timestamp),
    draft: Nullable(TransformDraft),
    archived: Type.Boolean(),
    archived_at: Nullable(Timestamp),
    last_run: Nullable(TransformRun),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
    etag: Type.String(),
  },
  {
    description:
      'sql, output, materialization, key, partition_by, incremental, checks and origin are those of the version in force; until the first hydrate they are those of the draft.',
  },
);
export type TransformView = Static<typeof Transform>;

export const params = Closed({ transform_id: idOf('transform') });
const refusals = [
  ...[transformProblems.transformNameTaken, transformProblems.outputTaken, transformProblems.outputRefused],
  ...[transformProblems.materializationRefused, transformProblems.checksRefused, transformProblems.statementUnclear],
  ...[transformProblems.patternUnknown, transformProblems.patternParametersInvalid, datasetProblems.invalidDatasetId],
];

/** A definition. */
export const newTransform = {
  name: Name,
  sql: Sql,
  output: Output,
  materialization: Type.Optional(OneOf(MATERIALIZATIONS, { description: 'full unless given, or as the pattern says' })),
  key: Type.Optional(Key),
  partition_by: Type.Optional(PartitionColumns),
  incremental: Type.Optional(Nullable(Incremental)),
  checks: Type.Optional(Checks),
  dialect: Type.Optional(OneOf(DIALECTS, { default: 'duckdb' })),
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
};

/** `POST /transforms` (ours) */
export const createTransform = endpoint({
  id: 'transforms.create_transform',
  method: 'POST',
  path: '/transforms',
  summary: 'Create a transform: one SELECT and the table that its rows become',
  description: 'Nothing runs. Hydrate it next: that checks the statement and makes what a run carries out.',
  access: writeTransforms,
  declarative: true,
  body: Closed({ ...newTransform, sql: Type.Optional(Sql), ...pattern }),
  example: {
    name: 'orders_by_day',
    sql: 'select ordered_at::date as day, count(*) as orders from bronze.demo.shop__orders group by 1',
    output: 'gold.demo.orders_by_day',
    checks: [{ name: 'a_day_once', kind: 'unique', columns: ['day'] }],
  },
  status: 201,
  location: '/transforms/:transform_id',
  response: Transform,
  errors: refusals,
  cli: {
    words: 'transforms create',
    flags: { output: 'to' },
    examples: [
      [
        'Orders by day',
        'weir transforms create --name orders_by_day --to gold.demo.orders_by_day --sql "select ordered_at, count(*) as orders from bronze.demo.shop__orders group by 1"',
      ],
      [
        'One row of each key, by a pattern',
        `weir transforms create --name orders_once --to silver.demo.orders_once --pattern-id deduplicate --set parameters.input=bronze.demo.shop__orders --set 'parameters.key=["id"]' --set 'parameters.order_by=[{"column": "ordered_at"}]'`,
      ],
    ],
  },
});

/** `GET /transforms` */
export const listTransforms = endpoint({
  id: 'transforms.list_transforms',
  method: 'GET',
  path: '/transforms',
  summary: 'List the transforms of the tenant',
  access: readTransforms,
  query: listQuery(['name', 'created_at', 'updated_at'], {
    name: Type.Optional({ ...Name, description: 'Only the transform of this name' }),
    tag: Type.Optional({ ...Tag, description: 'Only transforms with this tag' }),
    output: Type.Optional({ ...Output, pattern: STORABLE, description: 'Only the transform that writes this table' }),
    materialization: Type.Optional(OneOf(MATERIALIZATIONS, { description: 'Only transforms of this materialization' })),
    archived: Type.Optional(
      Type.Boolean({ description: 'Only archived ones; without it those in use, and the one that name finds' }),
    ),
  }),
  response: Page(Transform),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'transforms list',
    flags: { output: 'to' },
    columns: ['transform_id', 'name', 'output', 'materialization', 'last_run.status', 'last_run.ended_at'],
  },
});

/** `GET /transforms/{transform_id}` */
export const getTransform = endpoint({
  id: 'transforms.get_transform',
  method: 'GET',
  path: '/transforms/:transform_id',
  summary: 'Read a transform',
  access: readTransforms,
  params,
  response: Transform,
  errors: [kernelProblems.notFound],
  cli: 'transforms get',
});

/** `PATCH /transforms/{transform_id}` */
export const changeTransform = endpoint({
  id: 'transforms.change_transform',
  method: 'PATCH',
  path: '/transforms/:transform_id',
  summary: 'Change, archive or restore a transform',
  description:
    'A changed statement, output or materialization, with its key, partitions, incremental input or checks, is kept as a draft: runs carry out what is in force until hydrate replaces it. A later change adds to the draft; one that makes it equal to what is in force drops it. Name, description, tags and archived change at once. An archived transform does not run and keeps its history.',
  access: writeTransforms,
  declarative: true,
  params,
  body: Closed(
    {
      name: Type.Optional(Name),
      sql: Type.Optional(Sql),
      ...pattern,
      output: Type.Optional(Output),
      materialization: Type.Optional(OneOf(MATERIALIZATIONS)),
      key: Type.Optional(Nullable(Key)),
      partition_by: Type.Optional(Nullable(PartitionColumns)),
      incremental: Type.Optional(Nullable(Incremental)),
      checks: Type.Optional(Nullable(Checks)),
      description: Type.Optional(Nullable(Description)),
      tags: Type.Optional(Nullable(Tags)),
      archived: Type.Optional(Type.Boolean()),
    },
    { minProperties: 1 },
  ),
  example: { description: 'Orders of the shop by day', tags: ['shop'] },
  response: Transform,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, ...refusals],
  cli: { words: 'transforms change', flags: { output: 'to' } },
});

/** `DELETE /transforms/{transform_id}/draft` (ours) */
export const discardTransformDraft = endpoint({
  id: 'transforms.discard_transform_draft',
  method: 'DELETE',
  path: '/transforms/:transform_id/draft',
  summary: 'Discard the draft of a transform; what is in force stays',
  description: 'If-Match takes the etag of the draft. A transform that was never hydrated is deleted instead.',
  access: writeTransforms,
  params,
  status: 204,
  errors: [
    ...[kernelProblems.notFound, kernelProblems.preconditionFailed],
    ...[transformProblems.draftNotFound, transformProblems.transformNotInForce],
  ],
  cli: { words: 'transforms discard', confirm: 'Discard the draft? What is in force stays.' },
});

/** `DELETE /transforms/{transform_id}` */
export const deleteTransform = endpoint({
  id: 'transforms.delete_transform',
  method: 'DELETE',
  path: '/transforms/:transform_id',
  summary: 'Delete a transform, its runs and its artifacts for ever; its table stays',
  description:
    'To keep the history, archive it: PATCH with archived true. Refused while a run that it triggered is open, of whichever transform.',
  access: writeTransforms,
  params,
  status: 204,
  errors: [
    ...[kernelProblems.notFound, kernelProblems.preconditionFailed],
    ...[runProblems.runAlreadyActive, transformProblems.transformInUse],
  ],
  cli: { words: 'transforms delete', confirm: 'Delete the transform, its runs and its artifacts for ever?' },
});
