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
  RUN_STATUSES,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, runSources } from '../access.ts';
import { READ_BYTES, READ_COUNTS, StreamRun, SyncRunDetail } from './syncs.ts';

const MAX_RUN_REFERENCE = 200;
/** The newest syncs that statistics are made of, at most. */
export const MAX_STATS_RUNS = 5_000;

/** A run id or a workflow id: either names a sync. */
const RunReference = Type.String({
  minLength: 1,
  maxLength: MAX_RUN_REFERENCE,
  description: 'Run id or workflow id of the sync',
});
/** Parameters of the routes of one sync. */
export const runParams = Closed({ sync_run_id: RunReference });

/** `POST /sources/sync-runs/{sync_run_id}/cancel` (ours) */
export const cancelSync = endpoint({
  id: 'sources.cancel_sync',
  method: 'POST',
  path: '/sources/sync-runs/:sync_run_id/cancel',
  summary: 'Cancel a sync; what it has committed stays',
  description: 'May be repeated while the run is open. The run ends cancelled, and its connector with it.',
  access: runSources,
  params: runParams,
  response: Type.Object({
    run_id: Id,
    workflow_id: Type.String(),
    source_id: Id,
    outcome: OneOf(['cancelling', 'cancelled'], {
      description: 'cancelled when no worker had the run; cancelling until its worker has ended it',
    }),
  }),
  status: 202,
  location: '/sources/sync-runs/:run_id/details',
  errors: [kernelProblems.notFound, runProblems.runNotActive],
});

/** `GET /sources/sync-runs/{workflow_id}/details` */
export const getSyncRun = endpoint({
  id: 'sources.get_sync_run',
  method: 'GET',
  path: '/sources/sync-runs/:workflow_id/details',
  summary: 'Read one sync with its streams, by run id or workflow id',
  access: readSources,
  params: Closed({ workflow_id: RunReference }),
  response: SyncRunDetail,
  errors: [kernelProblems.notFound],
  cli: 'sources runs get',
});

/** `GET /sources/sync-runs/{sync_run_id}/streams` */
export const listSyncRunStreams = endpoint({
  id: 'sources.list_sync_run_streams',
  method: 'GET',
  path: '/sources/sync-runs/:sync_run_id/streams',
  summary: 'List what one sync did for each stream',
  access: readSources,
  params: runParams,
  query: listQuery(['name'], {
    status: Type.Optional(OneOf(RUN_STATUSES, { description: 'Only streams of this status' })),
  }),
  response: Page(StreamRun),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'sources runs streams',
    columns: [
      'dataset_id',
      'status',
      'rows_read',
      'rows_written',
      'rows_with_errors',
      'rows_rejected',
      'rows_deduplicated',
      'rows_left_out',
      'files_read',
      'files_left_out',
      'commits',
      'snapshot_id',
    ],
  },
});

const Seconds = Type.Number({ description: 'Seconds from start to end' });

/** What the syncs of a window did together. */
export const SyncStats = Type.Object({
  source_id: Id,
  since: Nullable(Timestamp),
  runs: Type.Integer(),
  truncated: Type.Boolean({ description: `Only the newest ${MAX_STATS_RUNS} syncs of the window were counted` }),
  by_status: Type.Object(Object.fromEntries(RUN_STATUSES.map((status) => [status, Type.Integer()]))),
  success_rate: Nullable(Type.Number({ description: 'Succeeded of those that succeeded or failed, 0 to 1' })),
  duration_seconds: Nullable(Type.Object({ p50: Seconds, p95: Seconds, max: Seconds })),
  rows_read: Type.Integer(),
  rows_written: Type.Integer(),
  rows_with_errors: Type.Integer(),
  rows_with_extra: Type.Integer(),
  rows_rejected: Type.Integer(),
  bytes_read: Type.Integer({ description: READ_BYTES }),
  files_left_out: Type.Integer({ description: READ_COUNTS.files_left_out }),
  rows_left_out: Type.Integer({ description: READ_COUNTS.rows_left_out }),
  last_success: Nullable(Type.Object({ run_id: Id, ended_at: Timestamp })),
  streak: Nullable(
    Type.Object({
      status: OneOf(['succeeded', 'failed']),
      length: Type.Integer({ description: 'How many of the newest syncs ended so in a row' }),
    }),
  ),
});
export type SyncStatsView = Static<typeof SyncStats>;

/** `GET /sources/{source_id}/sync-history/stats` */
export const getSyncStats = endpoint({
  id: 'sources.get_sync_stats',
  method: 'GET',
  path: '/sources/:source_id/sync-history/stats',
  summary: 'Summarize the syncs of a source',
  description: 'Durations are those of syncs that succeeded or failed. Skipped and cancelled ones break no streak.',
  access: readSources,
  params: Closed({ source_id: idOf('source') }),
  query: Closed({ since: Type.Optional({ ...Timestamp, description: 'Only syncs that started then or later' }) }),
  response: SyncStats,
  errors: [kernelProblems.notFound],
});

const MAX_SNAPSHOTS_PER_STREAM = 50;

/** A snapshot of the table of a stream. */
export const TableFormatRef = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  snapshots: Type.Array(
    Type.Object({
      snapshot_id: Type.String({ pattern: '^[0-9]+$', description: '64 bits, a decimal string' }),
      run_id: Nullable(Type.String({ description: 'The run that wrote it; null for another writer' })),
      committed_at: Timestamp,
      operation: Type.String({ description: 'append, overwrite, delete or replace' }),
      added_records: Nullable(Type.String({ pattern: '^[0-9]+$' })),
    }),
    { description: 'Newest first; empty for a table without rows so far' },
  ),
  snapshot_id: Nullable(Type.String({ description: 'The newest snapshot, a decimal string' })),
  readable: Type.Boolean({ description: 'False when the files of the table are damaged' }),
});
export type TableFormatRefView = Static<typeof TableFormatRef>;

/** `GET /sources/{source_id}/table-format-refs` */
export const listTableFormatRefs = endpoint({
  id: 'sources.list_table_format_refs',
  method: 'GET',
  path: '/sources/:source_id/table-format-refs',
  summary: 'List the snapshots that the tables of the streams of a source stand at',
  access: readSources,
  params: Closed({ source_id: idOf('source') }),
  query: listQuery(['name'], {
    stream_id: Type.Optional({ ...Id, description: 'Only this stream' }),
    enabled: Type.Optional(Type.Boolean({ description: 'Only enabled streams, or only disabled ones' })),
    per_stream: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SNAPSHOTS_PER_STREAM,
        default: 1,
        description: 'How many snapshots of each stream, newest first',
      }),
    ),
  }),
  response: Page(TableFormatRef),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: { words: 'sources refs', columns: ['name', 'namespace', 'dataset_id', 'snapshot_id', 'readable'] },
});
