import { Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  paging,
  permission,
  sorting,
  Timestamp,
} from '@weir/kernel/contract';
import { datasetProblems } from './problems.ts';

/** First segments of dataset ids: the layers of tenants, and the two first segments of platform-owned namespaces. */
export const DATASET_LAYERS = ['bronze', 'silver', 'gold', 'raw', 'registry'] as const;
export type DatasetLayer = (typeof DATASET_LAYERS)[number];

const Digits = (description: string) => Type.String({ pattern: '^-?[0-9]+$', description });

/** A 64-bit snapshot id as a decimal string. */
export const SnapshotId = Digits('64-bit snapshot id, all digits');

/** Who may read datasets; which ones is decided by what the tenant produces. */
export const read = permission('datasets:read', 'viewer');
/** What every route of one dataset may answer. */
export const readErrors = [
  datasetProblems.invalidDatasetId,
  datasetProblems.datasetNotReadable,
  kernelProblems.notFound,
];

export const DatasetParams = Type.Object({
  dataset_id: Type.String({ description: '<layer>.<scope>.<table>, each segment of A-Z a-z 0-9 _' }),
});

/** The query of a list whose newest item comes first unless it is asked for the other way round. */
export const newestFirstQuery = (field: string) => Closed({ ...paging(), order: sorting([`-${field}`, field]) });

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

export const HEALTH_STATUSES = ['healthy', 'due', 'blocked'] as const;
/** `races`: other commits were faster three times. `hold`: a reader keeps snapshots that would have expired a day ago. */
const BLOCKS = ['races', 'hold'] as const;

/** What keeps the maintenance of a table, as answers show it. */
export const Blocked = Nullable(
  Type.Object({ why: OneOf(BLOCKS), detail: Type.String(), since: Timestamp, run_id: Nullable(Id) }),
);

/** A dataset as lists show it; what comes from the table's metadata is null when that cannot be read. */
export const DatasetItem = Type.Object({
  ...itemProperties,
  health: Nullable(OneOf(HEALTH_STATUSES, { description: 'As maintenance last found it; null before its first look' })),
  blocked: Blocked,
});

/** A column of a table; `type` in the words of the table format, such as `decimal(18,2)` or `list<string>`. */
export const DatasetColumn = Type.Object({
  id: Type.Integer({ description: 'Field id, stable over renames' }),
  name: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
});

/** A 64-bit snapshot id as a number with all its digits; deprecated, and always beside an exact twin. */
export const NumericSnapshotId = (options: { nullable?: true } = {}) =>
  Type.Unsafe<bigint | number | string | null>({
    type: 'integer',
    deprecated: true,
    description: 'All digits; many JSON readers round it, compare by the member of this name with _exact',
    ...options,
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

/** A snapshot with its ids as numbers, and their exact twins; compare by `snapshot_id_exact`. */
export const DatasetSnapshotTwin = Type.Object({
  snapshot_id: NumericSnapshotId(),
  snapshot_id_exact: SnapshotId,
  parent_snapshot_id: NumericSnapshotId({ nullable: true }),
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
    health: Type.Optional(OneOf(HEALTH_STATUSES, { description: 'Only tables that maintenance last found so' })),
  }),
  response: Page(DatasetItem),
  cli: {
    words: 'datasets list',
    columns: ['dataset_id', 'total_records', 'total_bytes', 'columns_count', 'updated_at', 'snapshot_id'],
  },
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

export const listDatasetSnapshots = endpoint({
  id: 'datasets.list_snapshots',
  method: 'GET',
  path: '/datasets/:dataset_id/snapshots',
  summary: 'List the snapshots of a dataset, newest first',
  access: read,
  params: DatasetParams,
  query: newestFirstQuery('sequence_number'),
  response: Page(DatasetSnapshotTwin),
  errors: [...readErrors, datasetProblems.datasetUnreadable],
  cli: {
    words: 'datasets snapshots',
    columns: [
      'snapshot_id',
      'committed_at',
      'operation',
      'added_records',
      'deleted_records',
      'total_records',
      'run_id',
    ],
  },
});
