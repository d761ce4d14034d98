import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  kernelProblems,
  Nullable,
  OneOf,
  permission,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { Blocked, DatasetParams, HEALTH_STATUSES, read, readErrors, SnapshotId } from '../datasets.ts';
import { datasetProblems } from '../problems.ts';

/** What maintenance may do with a table. */
export const MAINTENANCE_ACTIONS = ['compact', 'manifests', 'expire', 'orphans'] as const;
export type MaintenanceAction = (typeof MAINTENANCE_ACTIONS)[number];
const REASONS = ['small_files', 'deleted_rows', 'manifests', 'snapshots'] as const;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const MIB = 1024 * 1024;
const TARGET_BYTES = { minimum: MIB, maximum: 4096 * MIB };
const KEEP_DAYS = { minimum: 1, maximum: 3_650 };

/** Removed files and snapshots that an answer names. */
export const MAX_SHOWN_REMOVES = 100;
/** Receipts that an answer shows. */
export const MAX_SHOWN_RECEIPTS = 20;

/** The proof of one rewrite: rows and checksum before and after it, read from the files. */
export const RewriteReceipt = Type.Object({
  run_id: Id,
  made_at: Timestamp,
  outcome: OneOf(['committed', 'lost'], { description: 'lost: other commits were faster; nothing changed' }),
  snapshot_id: Nullable(SnapshotId),
  files_before: Count('Data files read'),
  files_after: Count('Data files written'),
  bytes_before: Count('Bytes read'),
  bytes_after: Count('Bytes written'),
  deleted_rows: Count('Rows that deletes had taken away'),
  rows_before: Count('Rows read'),
  rows_after: Count('Rows written'),
  checksum_before: Type.String(),
  checksum_after: Type.String(),
});

const Settings = Type.Object({
  paused: Type.Boolean(),
  target_file_bytes: Nullable(Type.Integer({ ...TARGET_BYTES, description: "null: the platform's default" })),
  keep_days: Nullable(
    Type.Integer({ ...KEEP_DAYS, description: "Days for which every snapshot is kept; null: the platform's default" }),
  ),
  etag: Type.String(),
});

const Due = Type.Object({
  action: OneOf(MAINTENANCE_ACTIONS),
  reason: OneOf(REASONS),
  value: Type.Number({ description: 'What was found' }),
  bound: Type.Number({ description: 'What it passes' }),
  bytes: Count('Bytes that are to be read'),
});

/** `GET /datasets/{dataset_id}/health` */
export const TableHealth = Type.Object({
  dataset_id: Type.String(),
  status: OneOf(HEALTH_STATUSES),
  files: Count('Live data files'),
  bytes: Count('Bytes of them'),
  average_file_bytes: Count('Bytes of a file on average'),
  small_files: Count('Files below three quarters of the size that a rewrite aims at'),
  delete_files: Count('Files of deletes'),
  deleted_rows: Count('Rows that they take away, as an estimate'),
  manifests: Count('Manifests of the newest snapshot'),
  snapshots: Count('Snapshots that the metadata keeps'),
  oldest_snapshot_at: Nullable(Timestamp),
  metadata_bytes: Count('Bytes of the newest metadata file and the manifests that it names'),
  holds: Type.Array(
    Type.Object({
      by: Type.String({ description: 'The run, or the reader that left a mark' }),
      snapshot_id: SnapshotId,
      until: Nullable(Type.String({ format: 'date-time', description: 'null: until the run ends' })),
    }),
  ),
  due: Type.Array(Due),
  waiting: Type.Array(
    Type.Object({
      why: OneOf(['calm', 'races'], {
        description: 'calm: the partition got a commit a moment ago; races: other commits were faster three times',
      }),
      files: Count('Files that wait for a rewrite'),
      bytes: Count('Bytes of them'),
      until: Timestamp,
    }),
  ),
  blocked: Blocked,
  last_run: Nullable(Type.Object({ run_id: Id, made_at: Timestamp, actions: Type.Array(OneOf(MAINTENANCE_ACTIONS)) })),
  next_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When the table is looked at next; null while maintenance is paused',
    }),
  ),
  receipts: Type.Array(RewriteReceipt, { description: `The newest ${MAX_SHOWN_RECEIPTS} rewrites` }),
  maintenance: Settings,
});
export type TableHealthView = Static<typeof TableHealth>;

/** What one action would do. */
export const Would = Type.Object({
  action: OneOf(MAINTENANCE_ACTIONS),
  files_before: Count('Files before, or snapshots'),
  files_after: Count('Files after, about, or snapshots'),
  bytes: Count('Bytes that are to be read, or that become free'),
  removes: Type.Array(Type.String(), { description: `The first ${MAX_SHOWN_REMOVES} files or snapshots that go` }),
});

const maintain = permission('datasets:maintain', 'pipeline_editor', { capability: 'dataset:write' });

export const getTableHealth = endpoint({
  id: 'datasets.get_health',
  method: 'GET',
  path: '/datasets/:dataset_id/health',
  summary: 'Show what maintenance a dataset needs, and what the last rewrites proved',
  access: read,
  params: DatasetParams,
  response: TableHealth,
  errors: [...readErrors, datasetProblems.datasetUnreadable],
  cli: 'datasets health',
});

export const maintainTable = endpoint({
  id: 'datasets.maintain',
  method: 'POST',
  path: '/datasets/:dataset_id/maintain',
  summary: 'Have a dataset maintained now, or show what would be done',
  description:
    'The platform maintains tables by itself, some minutes after their last commit; this asks for it at once. A dry run answers 200 with what would be done, starts nothing, and its run is null. To look for orphaned files takes the role admin.',
  access: maintain,
  params: DatasetParams,
  body: Closed({
    actions: Type.Optional(
      Type.Array(OneOf(MAINTENANCE_ACTIONS), {
        minItems: 1,
        uniqueItems: true,
        description: 'compact, manifests and expire unless given',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Show what would be done and start nothing' })),
  }),
  example: { dry_run: true },
  status: 202,
  unchanged: true,
  response: Type.Object({
    run_id: Nullable(Id),
    workflow_id: Nullable(Type.String()),
    warning: Accepted.properties.warning,
    would: Type.Array(Would),
  }),
  errors: [
    ...[...readErrors, datasetProblems.datasetUnreadable, datasetProblems.orphansNeedAdmin],
    ...[datasetProblems.catalogKeepsFiles, runProblems.runAlreadyActive],
  ],
  cli: {
    words: 'datasets maintain',
    examples: [['Show what would be done', 'weir datasets maintain bronze.demo.flights --dry-run']],
  },
});

export const changeMaintenance = endpoint({
  id: 'datasets.change_maintenance',
  method: 'PATCH',
  path: '/datasets/:dataset_id/maintenance',
  summary: 'Pause the maintenance of a dataset, or change its bounds',
  description: "Null gives the platform's default again.",
  access: maintain,
  params: DatasetParams,
  body: Closed({
    paused: Type.Optional(Type.Boolean()),
    target_file_bytes: Type.Optional(Nullable(Type.Integer(TARGET_BYTES))),
    keep_days: Type.Optional(Nullable(Type.Integer(KEEP_DAYS))),
  }),
  example: { paused: true },
  response: Settings,
  errors: [...readErrors, kernelProblems.preconditionFailed, datasetProblems.datasetUnreadable],
  cli: 'datasets maintenance',
});
