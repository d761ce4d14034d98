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
  RUN_STATUSES,
  RunFailure,
  RunWorker,
  runFacts,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, runSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';

/** What bad rows, and what the read left out or missed, made of a run; never a status of its own. */
export const VERDICTS = ['clean', 'with_rejects'] as const;

/** Where a run is at the moment. */
export const SYNC_PHASES = ['waiting', 'preparing', 'pulling', 'reading', 'committing', 'ended'] as const;
export type SyncPhase = (typeof SYNC_PHASES)[number];

/** How far the image of a connector is pulled. */
export const Pull = Type.Object({
  bytes: Type.Integer({ description: 'Bytes of its layers that are here' }),
  total_bytes: Nullable(
    Type.Integer({ description: 'Bytes of the layers known so far, which may become more; null while none is' }),
  ),
});
export type PullView = Static<typeof Pull>;

/** What `rows_written` counts. */
export const WRITTEN = 'Rows that were committed; rows_deduplicated says how many of them a merge left out';

/** What is counted of the files of a read, and of rows that it leaves out. */
export const READ_COUNTS = {
  files_read: 'Files of which all new rows were committed; a file of no rows too',
  files_unchanged: 'Files that are as an earlier sync has read them',
  files_left_out: 'Files that could not be read; left_out of the stream says which, and why',
  files_gone: 'Files that were read before and are not there any more; their rows stay in the table',
  rows_left_out: 'Rows that the connector does not read, such as those without a value of the cursor',
} as const;

/** What `left_out` lists. */
export const LEFT_OUT = 'What the read left out or missed, the first 100 notes; the counts are of all';

const readCounters = {
  files_read: Type.Integer({ description: READ_COUNTS.files_read }),
  files_unchanged: Type.Integer({ description: READ_COUNTS.files_unchanged }),
  files_left_out: Type.Integer({ description: READ_COUNTS.files_left_out }),
  files_gone: Type.Integer({ description: READ_COUNTS.files_gone }),
  rows_left_out: Type.Integer({ description: READ_COUNTS.rows_left_out }),
};

/** Something that a read left out or missed. */
export const LeftOut = Type.Object({
  kind: OneOf(['file_left_out', 'file_gone', 'rows_left_out']),
  count: Type.Integer({ description: 'How many files or rows this is said of' }),
  file: Nullable(Type.String({ description: 'The file, or the first of several' })),
  code: Nullable(Type.String({ description: 'Why, as a code of the connector' })),
  message: Nullable(Type.String({ description: 'Why, and what to do, for people' })),
});
export type LeftOutView = Static<typeof LeftOut>;

/** What `rows_replaced` counts. */
export const REPLACED = 'Earlier rows of edited files, which the rows that those files have now replaced';

/** What `rows_deduplicated` counts. */
export const DEDUPLICATED =
  'Rows dropped by merge because a later row in the same commit had the same key; null when an older release did a part of the run';

/** What `bytes_read` counts. */
export const READ_BYTES =
  'Bytes of the rows as the connector sends them, in JSON: a file or a database holds the same rows in fewer';

const counters = {
  rows_read: Type.Integer({ description: 'Rows that the connector has sent' }),
  rows_written: Type.Integer({ description: WRITTEN }),
  rows_with_errors: Type.Integer({ description: 'Written rows with at least one entry in _errors' }),
  rows_with_extra: Type.Integer({
    description: 'Written rows with fields that no column holds, or values that did not fit theirs; _extra has them',
  }),
  rows_rejected: Type.Integer({ description: 'Lines that went to quarantine' }),
  rows_deduplicated: Nullable(Type.Integer({ description: DEDUPLICATED })),
  bytes_read: Type.Integer({ description: READ_BYTES }),
  ...readCounters,
};

/** One sync of a source. */
export const SyncRun = Type.Object({
  ...runFacts,
  source_id: Id,
  verdict: Nullable(OneOf(VERDICTS)),
  phase: OneOf(SYNC_PHASES, { description: 'pulling: the image of the connector is not here yet, see pull' }),
  pull: Nullable(Pull),
  ...counters,
});
export type SyncRunView = Static<typeof SyncRun>;

/** What a sync met of fields that the table had not, or not in that type. */
export const FIELD_CHANGES = ['added', 'widened', 'captured', 'refused'] as const;

/** A field that differs from the table as a sync found it, and what became of that. */
export const FieldNote = Type.Object({
  field: Type.String({ description: 'Name of the column, or of the field for which there is none' }),
  change: OneOf(FIELD_CHANGES, {
    description:
      'added: a column was made; widened: its type holds more now; captured: its values are in _extra; refused: the stream failed by it',
  }),
  type: Nullable(Type.String({ description: 'The type that it has now, or would have as a column' })),
});
export type FieldNoteView = Static<typeof FieldNote>;

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Snapshot = Type.String({ pattern: '^[0-9]+$', description: '64 bits, a decimal string' });

/** What one sync did for one stream. */
export const StreamRun = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  status: OneOf(RUN_STATUSES),
  ...counters,
  left_out: Type.Array(LeftOut, { description: LEFT_OUT }),
  rows_replaced: Type.Integer({ description: REPLACED }),
  rows_in_table: Nullable(
    Type.Integer({
      description:
        'Rows that this run wrote and that the table has at the newest snapshot of the run, not all that the table has; null before there is one',
    }),
  ),
  checksum: Nullable(Type.String({ description: 'Sum over the hashes of those rows in any order, <algorithm>:<hex>' })),
  schema_id: Nullable(Type.Integer({ description: 'Schema of the table with which the rows were written' })),
  schema_changes: Type.Array(FieldNote),
  state_sha256: Nullable(Digest),
  snapshot_id: Nullable(Type.String({ description: 'The newest snapshot of this run, a decimal string' })),
  snapshot_ids: Type.Array(Snapshot, { description: 'All snapshots of the table that this run made, oldest first' }),
  commits: Type.Integer(),
  committed_at: Nullable(Timestamp),
  failure: Nullable(RunFailure),
});

export type StreamRunView = Static<typeof StreamRun>;

/** The image of the connector that a sync has run. */
export const ConnectorImage = Type.Object({
  reference: Type.String({ description: 'The name that the pattern had for it' }),
  digest: Type.String({ description: "The registry's; the id for an image that came from no registry" }),
  id: Type.String({ description: 'By which the container engine knows it' }),
  architecture: Type.String(),
});

/**
 * One sync of a source with its streams. `worker` says who has an open run in hands, and is null for an ended one;
 * `image` is null for a connector that runs as a process, and until one runs.
 */
export const SyncRunDetail = Type.Composite([
  SyncRun,
  Type.Object({
    worker: Nullable(RunWorker),
    image: Nullable(ConnectorImage),
    receipt: Nullable(Type.String({ description: 'Path of the receipt of one that has ended' })),
    streams: Type.Array(StreamRun),
  }),
]);
export type SyncRunDetailView = Static<typeof SyncRunDetail>;

const sourceParams = Closed({ source_id: idOf('source') });

/** The query of every start of a run. */
export const startQuery = Closed({
  queue: Type.Optional(
    Type.Boolean({ description: 'Accept the run although no worker polls for it, and let it wait' }),
  ),
});

/** `POST /sources/{source_id}/sync` */
export const startSync = endpoint({
  id: 'sources.start_sync',
  method: 'POST',
  path: '/sources/:source_id/sync',
  summary: 'Start a sync of the enabled streams of a source',
  description:
    'What GET /sources/{source_id}/readiness lists as failed and blocking refuses the start. Without a live worker the answer is 503 no_worker, unless queue=true lets the run wait.',
  access: runSources,
  params: sourceParams,
  query: startQuery,
  response: Accepted,
  status: 202,
  location: '/sources/:source_id/sync/status?run_id=:run_id',
  errors: [
    kernelProblems.notFound,
    sourceProblems.sourceNotReady,
    sourceProblems.noStreamsEnabled,
    sourceProblems.streamNotSyncable,
    runProblems.runAlreadyActive,
    runProblems.noWorker,
  ],
  cli: 'sources sync',
});

/** `GET /sources/{source_id}/sync/status`: the newest sync, or the one that `run_id` names; counts rise while it runs. */
export const getSyncStatus = endpoint({
  id: 'sources.get_sync_status',
  method: 'GET',
  path: '/sources/:source_id/sync/status',
  summary: 'Read the newest sync of a source, or one by its run id',
  access: readSources,
  params: sourceParams,
  query: Closed({ run_id: Type.Optional({ ...Id, description: 'This sync; the newest unless given' }) }),
  response: Type.Object({ source_id: Id, run: Nullable(SyncRunDetail) }),
  errors: [kernelProblems.notFound],
});

/** `GET /sources/{source_id}/sync-history` */
export const listSyncHistory = endpoint({
  id: 'sources.list_sync_history',
  method: 'GET',
  path: '/sources/:source_id/sync-history',
  summary: 'List the syncs of a source, newest first',
  access: readSources,
  params: sourceParams,
  query: listQuery(['created_at'], {
    status: Type.Optional(OneOf(RUN_STATUSES, { description: 'Only syncs of this status' })),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Only syncs that were started then or later; newest first only',
      }),
    ),
  }),
  response: Page(SyncRun),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: 'sources history',
});
