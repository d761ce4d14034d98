import { Type } from '@sinclair/typebox';
import {
  endpoint,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  permission,
  Timestamp,
} from '@weir/kernel/contract';
import { datasetProblems } from './problems.ts';

/** First segments of dataset ids: the layers of tenants, and the two first segments of platform-owned namespaces. */
export const DATASET_LAYERS = ['bronze', 'silver', 'gold', 'raw', 'registry'] as const;
export type DatasetLayer = (typeof DATASET_LAYERS)[number];

export const DEFAULT_PREVIEW_ROWS = 50;
export const MAX_PREVIEW_ROWS = 500;

const Digits = (description: string) => Type.String({ pattern: '^-?[0-9]+$', description });

/** A 64-bit snapshot id as a decimal string. */
export const SnapshotId = Digits('64-bit snapshot id, all digits');

/** Characters of one filter, one list of columns, or an order; a name of a column has no bound of its own. */
const MAX_TEXT_LENGTH = 2048;
const MAX_TEXTS = 100;

/** A query parameter that may be repeated. */
const TextList = (description: string) =>
  Type.Union(
    [
      Type.String({ maxLength: MAX_TEXT_LENGTH }),
      Type.Array(Type.String({ maxLength: MAX_TEXT_LENGTH }), { maxItems: MAX_TEXTS }),
    ],
    { description },
  );

const PREVIEW_DESCRIPTION = `A filter is \`column:op:value\` with eq, ne, lt, le, gt, ge, contains, starts_with, or \`column:op\` with is_null, not_null. Values are written as rows show them: numbers in digits, true or false, dates as 2026-01-31, times in ISO 8601 (a timestamptz with Z or an offset). NULL fits is_null alone. An order puts NULL last. A page token belongs to one dataset, snapshot, choice of columns, filters and order.`;

const read = permission('datasets:read', 'viewer');
const readErrors = [datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable, kernelProblems.notFound];

const DatasetParams = Type.Object({
  dataset_id: Type.String({ description: '<layer>.<scope>.<table>, each segment of A-Z a-z 0-9 _' }),
});

const itemProperties = {
  dataset_id: Type.String(),
  namespace: Type.String({ description: '<layer>.<scope>' }),
  table: Type.String(),
  layer: OneOf(DATASET_LAYERS),
  format_version: Nullable(Type.Integer()),
  columns_count: Nullable(Type.Integer()),
  total_records: Nullable(Digits('Rows of the current snapshot')),
  total_data_files: Nullable(Type.Integer()),
  total_bytes: Nullable(Digits('Bytes of the data files of the current snapshot')),
  updated_at: Nullable(Timestamp),
  snapshot_id: Nullable(SnapshotId),
};

/** A dataset as lists show it; what comes from the table's metadata is null when that cannot be read. */
export const DatasetItem = Type.Object(itemProperties);

/** A column of a table; `type` in the words of the table format, such as `decimal(18,2)` or `list<string>`. */
export const DatasetColumn = Type.Object({
  id: Type.Integer({ description: 'Field id, stable over renames' }),
  name: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
});

const snapshotFacts = {
  sequence_number: Type.Integer(),
  committed_at: Timestamp,
  operation: Type.String({ description: 'append, overwrite, delete or replace' }),
  run_id: Nullable(Type.String({ description: 'The run that wrote it' })),
  added_records: Nullable(Digits('Rows added')),
  deleted_records: Nullable(Digits('Rows removed')),
  added_data_files: Nullable(Type.Integer()),
  deleted_data_files: Nullable(Type.Integer()),
  total_records: Nullable(Digits('Rows after it')),
  total_data_files: Nullable(Type.Integer()),
  total_bytes: Nullable(Digits('Bytes after it')),
};

/** A snapshot with its 64-bit id as a string. */
export const DatasetSnapshot = Type.Object({ snapshot_id: SnapshotId, ...snapshotFacts });

/** A snapshot with the numeric id and its exact twin; compare by `snapshot_id_exact`. */
export const DatasetSnapshotTwin = Type.Object({
  snapshot_id: Type.Unsafe<bigint | number | string>({
    type: 'integer',
    description: 'All digits; many JSON readers round it, compare by snapshot_id_exact',
  }),
  snapshot_id_exact: SnapshotId,
  parent_snapshot_id_exact: Nullable(SnapshotId),
  ...snapshotFacts,
});

/** A dataset with its schema. */
export const DatasetDetail = Type.Object({
  ...itemProperties,
  table_uuid: Type.String(),
  metadata_location: Type.String({ description: 'The current metadata file, for engines without a catalog' }),
  schema: Type.Object({ schema_id: Type.Integer(), columns: Type.Array(DatasetColumn) }),
  partition_spec: Type.Array(Type.Object({ column: Type.String(), transform: Type.String() })),
  last_snapshot: Nullable(DatasetSnapshot),
  producer: Nullable(Type.Object({ kind: Type.String(), id: Type.String() })),
});

/** A page of rows of a dataset: each row lists its values in the order of `columns`; 64-bit integers and decimals are strings. */
export const DatasetPreview = Type.Object({
  dataset_id: Type.String(),
  snapshot_id: Nullable(SnapshotId),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  rows: Type.Array(Type.Array(Type.Unknown())),
  has_more: Type.Boolean(),
  next_page_token: Nullable(Type.String({ description: 'For the rows behind these, of the same snapshot' })),
});

export const listDatasets = endpoint({
  id: 'datasets.list',
  method: 'GET',
  path: '/datasets',
  summary: 'List the datasets that the tenant may read',
  access: read,
  query: listQuery(['dataset_id'], {
    namespace: Type.Optional(Type.String({ maxLength: 255, description: 'Only this <layer>.<scope>' })),
    search: Type.Optional(
      Type.String({ maxLength: 255, description: 'Only tables whose name contains this, in any case' }),
    ),
  }),
  response: Page(DatasetItem),
  cli: 'datasets list',
});

export const getDataset = endpoint({
  id: 'datasets.get',
  method: 'GET',
  path: '/datasets/:dataset_id',
  summary: 'Show one dataset with its schema and last snapshot',
  access: read,
  params: DatasetParams,
  response: DatasetDetail,
  errors: [...readErrors, datasetProblems.datasetUnreadable],
  cli: 'datasets get',
});

export const previewDataset = endpoint({
  id: 'datasets.preview',
  method: 'GET',
  path: '/datasets/:dataset_id/preview',
  summary: 'Read rows of a dataset',
  description: PREVIEW_DESCRIPTION,
  access: read,
  params: DatasetParams,
  query: Type.Object(
    {
      columns: Type.Optional(TextList('Names of the columns to read, joined by commas or repeated; all unless given')),
      filter: Type.Optional(TextList('column:op:value, repeated for more; rows must fit all of them')),
      order: Type.Optional(
        Type.String({
          maxLength: MAX_TEXT_LENGTH,
          description: 'column or -column; in the order of the files unless given',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PREVIEW_ROWS, default: DEFAULT_PREVIEW_ROWS })),
      snapshot_id: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,19}$', description: 'Read this snapshot instead of the newest' }),
      ),
      page_token: Type.Optional(Type.String({ maxLength: 2048 })),
    },
    { additionalProperties: false },
  ),
  response: DatasetPreview,
  errors: [
    ...readErrors,
    datasetProblems.datasetUnreadable,
    datasetProblems.queryTimeout,
    datasetProblems.previewTooLarge,
    datasetProblems.queryTooLarge,
    kernelProblems.invalidPageToken,
    kernelProblems.dependencyUnavailable,
  ],
  cli: 'datasets preview',
});

export const listDatasetSnapshots = endpoint({
  id: 'datasets.list_snapshots',
  method: 'GET',
  path: '/datasets/:dataset_id/snapshots',
  summary: 'List the snapshots of a dataset, newest first',
  access: read,
  params: DatasetParams,
  query: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
      page_token: Type.Optional(Type.String({ maxLength: 2048 })),
      order: Type.Optional(OneOf(['-sequence_number', 'sequence_number'])),
    },
    { additionalProperties: false },
  ),
  response: Page(DatasetSnapshotTwin),
  errors: [...readErrors, datasetProblems.datasetUnreadable],
  cli: 'datasets snapshots',
});
