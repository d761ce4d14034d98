import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
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
import { readSources, runSources } from './access.ts';
import { sourceProblems } from './problems.ts';

/** What bad rows made of a run; never a status of its own. */
export const VERDICTS = ['clean', 'with_rejects'] as const;

/** Where a run is at the moment. */
export const SYNC_PHASES = ['waiting', 'preparing', 'reading', 'committing', 'ended'] as const;

const counters = {
  rows_read: Type.Integer({ description: 'Rows that the connector has sent' }),
  rows_written: Type.Integer({ description: 'Rows in committed snapshots' }),
  rows_with_errors: Type.Integer({ description: 'Written rows with at least one entry in _errors' }),
  rows_rejected: Type.Integer({ description: 'Rows that went to quarantine' }),
  bytes_read: Type.Integer(),
};

/** One sync of a source. */
export const SyncRun = Type.Object({
  ...runFacts,
  source_id: Id,
  verdict: Nullable(OneOf(VERDICTS)),
  phase: OneOf(SYNC_PHASES),
  ...counters,
});
export type SyncRunView = Static<typeof SyncRun>;

/** What one sync did for one stream. */
export const StreamRun = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  status: OneOf(RUN_STATUSES),
  ...counters,
  snapshot_id: Nullable(Type.String({ description: 'The newest snapshot of this run, a decimal string' })),
  commits: Type.Integer(),
  committed_at: Nullable(Timestamp),
  failure: Nullable(RunFailure),
});

export type StreamRunView = Static<typeof StreamRun>;

/** One sync of a source with its streams; `worker` says who has an open run in hands, and is null for an ended one. */
export const SyncRunDetail = Type.Composite([
  SyncRun,
  Type.Object({ worker: Nullable(RunWorker), streams: Type.Array(StreamRun) }),
]);
export type SyncRunDetailView = Static<typeof SyncRunDetail>;

const sourceParams = Closed({ source_id: Id });

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
});

/** `GET /sources/{source_id}/sync/status`: the newest sync, or the one that `run_id` names; counts rise while it runs. */
export const getSyncStatus = endpoint({
  id: 'sources.get_sync_status',
  method: 'GET',
  path: '/sources/:source_id/sync/status',
  summary: 'Read the newest sync of a source, or one by its run id',
  access: readSources,
  params: sourceParams,
  query: Closed({ run_id: Type.Optional(Id) }),
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
    status: Type.Optional(OneOf(RUN_STATUSES)),
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
