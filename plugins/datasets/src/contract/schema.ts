import { Type } from '@sinclair/typebox';
import { endpoint, Nullable, OneOf, Page, Timestamp } from '@weir/kernel/contract';
import { DatasetParams, newestFirstQuery, read, readErrors, SnapshotId } from './datasets.ts';
import { datasetProblems } from './problems.ts';
import { SCHEMA_CHANGES } from './schema-changes.ts';

/** A field of a schema. The list is in the table's order, and what is nested in a field follows it. */
export const SchemaField = Type.Object({
  id: Type.Integer({ description: 'Stable over renames' }),
  parent_id: Nullable(Type.Integer({ description: 'The field that it is nested in' })),
  name: Type.String(),
  type: Type.String({ description: 'In the words of the table format, such as decimal(18,2) or list<string>' }),
  required: Type.Boolean(),
});

/** A schema of a dataset. */
export const DatasetSchema = Type.Object({
  dataset_id: Type.String(),
  schema_id: Type.Integer(),
  is_current: Type.Boolean(),
  snapshot_id: Nullable(SnapshotId),
  fields: Type.Array(SchemaField),
});

/** One version of a schema, and how it differs from the one before. */
export const SchemaVersion = Type.Object({
  schema_id: Type.Integer(),
  is_current: Type.Boolean(),
  since: Nullable(Timestamp),
  first_snapshot_id: Nullable(SnapshotId),
  fields_count: Type.Integer({ description: 'Fields, nested ones included' }),
  changes: Type.Array(
    Type.Object({
      change: OneOf(SCHEMA_CHANGES),
      field_id: Type.Integer(),
      path: Type.String({ description: 'Names from the outermost field on, joined by dots, for people' }),
      from: Nullable(Type.String({ description: 'Type, name, required or optional, or place among its siblings' })),
      to: Nullable(Type.String()),
    }),
  ),
});

const errors = [...readErrors, datasetProblems.datasetUnreadable];

export const getDatasetSchema = endpoint({
  id: 'datasets.get_schema',
  method: 'GET',
  path: '/datasets/:dataset_id/schema',
  summary: 'Show the schema of a dataset, now or as it was',
  access: read,
  params: DatasetParams,
  query: Type.Object(
    {
      snapshot_id: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,19}$', description: 'The schema with which this snapshot was written' }),
      ),
      schema_id: Type.Optional(Type.Integer({ minimum: 0, description: 'This version; not with snapshot_id' })),
    },
    { additionalProperties: false },
  ),
  response: DatasetSchema,
  errors,
  cli: 'datasets schema',
});

export const listSchemaVersions = endpoint({
  id: 'datasets.list_schema_versions',
  method: 'GET',
  path: '/datasets/:dataset_id/schema/history',
  summary: 'List the versions of the schema of a dataset with their changes, newest first',
  description:
    'since is when the first snapshot that is kept was written with the version; for one without snapshots it is the time of the first metadata file that has it, or null when none is kept that old.',
  access: read,
  params: DatasetParams,
  query: newestFirstQuery('schema_id'),
  response: Page(SchemaVersion),
  errors,
  cli: {
    words: 'datasets schema-history',
    columns: ['schema_id', 'is_current', 'since', 'first_snapshot_id', 'fields_count', 'changes'],
  },
});
