import { type Static, Type } from '@sinclair/typebox';
import { endpoint, Id, kernelProblems, Nullable, OneOf, RunFailure, Timestamp } from '@weir/kernel/contract';
import { readSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { runParams } from './sync-runs.ts';
import {
  DEDUPLICATED,
  FieldNote,
  LEFT_OUT,
  LeftOut,
  READ_BYTES,
  READ_COUNTS,
  REPLACED,
  VERDICTS,
  WRITTEN,
} from './syncs.ts';

/** The form of the document; a change that an older reader would take for something else gets another number. */
export const RECEIPT_FORMAT = 'weir.sync-receipt/1';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const SnapshotDigits = Type.String({ pattern: '^[0-9]+$' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const figures = {
  rows_read: Count('Lines that the connector has sent'),
  rows_written: Count(WRITTEN),
  rows_with_errors: Count('Written rows with at least one entry in _errors'),
  rows_with_extra: Count(
    'Written rows with fields that no column holds, or values that did not fit theirs; _extra has them',
  ),
  rows_quarantined: Count('Lines that are no rows, kept in the quarantine table'),
  // Receipts of earlier releases have no such member, and their digests are of what they say.
  rows_deduplicated: Type.Optional(Nullable(Count(DEDUPLICATED))),
  bytes_read: Count(READ_BYTES),
  files_read: Type.Optional(Count(READ_COUNTS.files_read)),
  files_unchanged: Type.Optional(Count(READ_COUNTS.files_unchanged)),
  files_left_out: Type.Optional(Count(READ_COUNTS.files_left_out)),
  files_gone: Type.Optional(Count(READ_COUNTS.files_gone)),
  rows_left_out: Type.Optional(Count(READ_COUNTS.rows_left_out)),
};

/** What a sync says of one stream. */
export const ReceiptStream = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  quarantine_dataset_id: Nullable(Type.String({ description: 'Null when this sync has put nothing there' })),
  status: OneOf(['succeeded', 'failed', 'cancelled']),
  ...figures,
  // Receipts of earlier releases have no such members.
  rows_replaced: Type.Optional(Count(REPLACED)),
  left_out: Type.Optional(Type.Array(LeftOut, { description: LEFT_OUT })),
  rows_in_table: Nullable(Count('Rows of this run in the table at the last of its snapshots')),
  checksum: Nullable(Type.String({ description: 'Of those rows, in any order: <algorithm>:<hex>' })),
  schema_id: Nullable(Type.Integer()),
  snapshot_ids: Type.Array(SnapshotDigits, { description: 'Oldest first' }),
  commits: Count('Commits of this stream'),
  state_sha256: Nullable(Sha256),
  schema_changes: Type.Array(FieldNote),
  failure: Nullable(RunFailure),
});

/** What a sync says when it has ended, however it has. */
export const SyncReceipt = Type.Object({
  format: Type.Literal(RECEIPT_FORMAT),
  run_id: Id,
  workflow_id: Type.String(),
  source_id: Id,
  source_name: Type.String(),
  requested_by: Type.String(),
  status: OneOf(['succeeded', 'failed', 'cancelled', 'skipped']),
  verdict: Nullable(OneOf(VERDICTS)),
  attempts: Count('0 when no worker has begun it'),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  ended_at: Timestamp,
  failure: Nullable(RunFailure),
  spec_fingerprint: Nullable(
    Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description:
        'Of the configuration of the source without credentials and the settings of its enabled streams, as its last attempt began; null when none has',
    }),
  ),
  versions: Type.Object({
    release_sha: Type.String(),
    image_digest: Type.String(),
    plugins: Type.Array(Type.Object({ id: Type.String(), version: Type.String() })),
    connector: Nullable(
      Type.Object({
        pattern_id: Type.String(),
        version: Type.String(),
        image: Type.String(),
        // Receipts of earlier releases have no such member, and their digests are of what they say.
        image_digest: Type.Optional(
          Nullable(Type.String({ description: 'Of the image that ran; null for a connector that ran as a process' })),
        ),
      }),
    ),
  }),
  ...figures,
  streams: Type.Array(ReceiptStream, { description: 'In the order of their names' }),
});
export type SyncReceiptView = Static<typeof SyncReceipt>;
export type ReceiptStreamView = Static<typeof ReceiptStream>;

/** `GET /sources/sync-runs/{sync_run_id}/receipt` (ours) */
export const getSyncReceipt = endpoint({
  id: 'sources.get_sync_receipt',
  method: 'GET',
  path: '/sources/sync-runs/:sync_run_id/receipt',
  summary: 'Read the receipt of a sync that has ended',
  description:
    'sha256 is that of the receipt as canonical JSON (RFC 8785): members in the order of their names, no spaces. It never changes once the sync has ended.',
  access: readSources,
  params: runParams,
  response: Type.Object({ sha256: Sha256, etag: Type.String(), receipt: SyncReceipt }),
  errors: [kernelProblems.notFound, sourceProblems.runNotEnded],
  cli: 'runs receipt',
});
