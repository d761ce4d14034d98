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
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { NumericSnapshotId } from '@weir/plugin-datasets/contract';
import { LOG_LINES, LOG_TEXT, RunLogPage, RunLogQuery } from '@weir/plugin-platform/contract';
import { readOntology, writeOntology } from '../access.ts';
import { ontologyOff } from '../entity-types.ts';
import { ontologyProblems } from '../problems.ts';
import { backingParams } from './backing-datasets.ts';
import { backingProblems } from './problems.ts';
import { REPLAY_REASONS, SYNC_MODES } from './sync-words.ts';

const Exact = Nullable(Type.String({ description: '64-bit snapshot id, all digits' }));

/** `POST /backing-datasets/{backing_dataset_id}/sync` */
export const syncBackingDataset = endpoint({
  id: 'ontology.sync_backing_dataset',
  method: 'POST',
  path: '/backing-datasets/:backing_dataset_id/sync',
  summary: 'Sync a backing dataset: its entities become those of the table',
  description:
    'The run ends skipped when neither the mapping nor the table has changed. A forced one replays every row; it is accepted only where the capabilities say so.',
  access: writeOntology,
  params: backingParams,
  query: Closed({
    force: Type.Optional(Type.Boolean({ default: false, description: 'Replay every row, whatever has changed' })),
    queue: Type.Optional(
      Type.Boolean({ default: false, description: 'Let the run wait when no worker polls for it at the moment' }),
    ),
  }),
  status: 202,
  location: '/backing-datasets/:backing_dataset_id/sync-history/:run_id',
  response: Type.Object({
    ...Accepted.properties,
    status: OneOf(RUN_STATUSES),
    attempted_sync_spec_fingerprint: Type.Optional(
      Nullable(Type.String({ description: 'Of what the run is to apply; null while the table cannot be read' })),
    ),
    force: Type.Optional(Type.Boolean()),
    sync_contract_version: Type.Optional(Type.Integer()),
  }),
  errors: [
    ...[kernelProblems.notFound, runProblems.runAlreadyActive, runProblems.noWorker],
    ...[ontologyProblems.bindingMissing, backingProblems.notReady, backingProblems.forceNotSupported, ontologyOff],
  ],
  cli: {
    words: 'ontology backing-datasets sync',
    examples: [
      ['And wait for its end', 'weir ontology backing-datasets sync <id> --wait'],
      ['Replay every row', 'weir ontology backing-datasets sync <id> --force --wait'],
    ],
  },
});

const counts = Type.Object({
  read: Type.Integer({ description: 'Rows of the table' }),
  upserted: Type.Integer({ description: 'Entities that were written' }),
  deleted: Type.Integer(),
  unchanged: Type.Integer(),
  rejected: Type.Integer({ description: 'Rows that became no entity' }),
});

const runHead = {
  run_id: Id,
  backing_dataset_id: Id,
  contract: Type.Integer({ description: 'Version of the contract that it follows' }),
  status: OneOf(RUN_STATUSES),
  is_terminal: Type.Boolean(),
  force: Type.Optional(Type.Boolean()),
  mode: Nullable(OneOf(SYNC_MODES, { description: 'How the run found what to apply; null until it has decided' })),
  replay_reason: Type.Optional(
    Nullable(OneOf(REPLAY_REASONS, { description: 'Why rows were replayed that had not changed' })),
  ),
  effective_spec_changed: Type.Optional(
    Nullable(Type.Boolean({ description: 'What a sync does has changed since the one that is applied' })),
  ),
  attempted_sync_spec_fingerprint: Type.Optional(Nullable(Type.String())),
  applied_sync_spec_fingerprint: Type.Optional(
    Nullable(Type.String({ description: 'What is applied after the run: a failed one keeps what was' })),
  ),
  snapshot_id: NumericSnapshotId({ nullable: true }),
  snapshot_id_exact: Exact,
  rows_synced: Type.Integer({ description: 'Rows that the store has taken; 0 of a skipped run' }),
  requested_by: Type.String(),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  failure: Nullable(RunFailure),
};

/** A sync run as lists show it; a run of contract 1 lacks the optional members. */
const SyncRunItem = Type.Object(runHead);
export type SyncRunItemView = Static<typeof SyncRunItem>;

const BulkJob = Type.Object({
  job_id: Type.String(),
  operation: OneOf(['upsert', 'delete']),
  submitted_count: Type.Integer(),
  completed_count: Type.Integer(),
});

/** A sync run with what it did. */
const SyncRun = Type.Object({
  ...runHead,
  previous_snapshot_id_exact: Exact,
  counts,
  bulk_jobs: Type.Optional(Type.Array(BulkJob)),
});
export type SyncRunView = Static<typeof SyncRun>;

/** `GET /backing-datasets/{backing_dataset_id}/sync-history` */
export const listSyncRuns = endpoint({
  id: 'ontology.list_backing_dataset_runs',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id/sync-history',
  summary: 'List the sync runs of a backing dataset, newest first',
  access: readOntology,
  params: backingParams,
  query: listQuery(['-created_at'], {}),
  response: Page(SyncRunItem),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, ontologyOff],
  cli: {
    words: 'ontology backing-datasets runs',
    columns: ['run_id', 'status', 'mode', 'replay_reason', 'rows_synced', 'created_at', 'ended_at', 'failure.code'],
  },
});

const runParams = Closed({ ...backingParams.properties, run_id: idOf('run') });

/** `GET /backing-datasets/{backing_dataset_id}/sync-history/{run_id}` */
export const getSyncRun = endpoint({
  id: 'ontology.get_backing_dataset_run',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id/sync-history/:run_id',
  summary: 'Read exactly one sync run, with the jobs that it gave to the store',
  access: readOntology,
  params: runParams,
  response: SyncRun,
  errors: [kernelProblems.notFound, ontologyOff],
  cli: 'ontology backing-datasets run',
});

/** `GET /backing-datasets/{backing_dataset_id}/sync-history/{run_id}/logs` */
export const readSyncRunLog = endpoint({
  id: 'ontology.read_backing_dataset_run_log',
  method: 'GET',
  path: '/backing-datasets/:backing_dataset_id/sync-history/:run_id/logs',
  summary: 'Read, search and follow the log of a sync run, or download it',
  description:
    'To follow a run, ask again with after and wait_seconds until ended is true. With download the whole log is answered, as text or a JSON document a line.',
  access: readOntology,
  params: runParams,
  query: Closed({
    ...RunLogQuery.properties,
    download: Type.Optional(Type.Boolean({ default: false, description: 'Answer the whole log as a file' })),
  }),
  response: RunLogPage,
  produces: [LOG_TEXT, LOG_LINES],
  errors: [
    ...[kernelProblems.notFound, kernelProblems.invalidPageToken, kernelProblems.dependencyUnavailable],
    ontologyOff,
  ],
  cli: 'ontology backing-datasets logs',
});
