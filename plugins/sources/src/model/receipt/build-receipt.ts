import type { RunFailureRecord, RunRecord } from '@weir/kernel';
import { quarantineOf } from '@weir/plugin-datasets/contract';
import { RECEIPT_FORMAT, type ReceiptStreamView, type SyncReceiptView } from '../../contract.ts';
import type { SourceRow } from '../source/entity.ts';
import { NO_ROWS, type StreamRunRow, type SyncRunRow } from '../sync/entity.ts';

/** All that a receipt is made of. */
export interface ReceiptFacts {
  run: RunRecord;
  source: Pick<SourceRow, 'name'>;
  /** Absent when no attempt has begun. */
  details: SyncRunRow | undefined;
  streams: readonly StreamRunRow[];
  versions: SyncReceiptView['versions'];
}

/** The receipt of a sync that has ended. Pure. Text that the database cannot keep is replaced by U+FFFD. */
export function buildReceipt({ run, source, details, streams, versions }: ReceiptFacts): SyncReceiptView {
  const receipt: SyncReceiptView = {
    format: RECEIPT_FORMAT,
    run_id: run.runId,
    workflow_id: run.workflowId,
    source_id: run.subjectId,
    source_name: source.name,
    requested_by: run.requestedBy,
    status: run.status as SyncReceiptView['status'],
    verdict: details?.verdict ?? null,
    attempts: run.leaseEpoch,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: (run.endedAt ?? run.createdAt).toISOString(),
    failure: failureOf(run.failure),
    spec_fingerprint: details?.specFingerprint ?? null,
    versions,
    ...figuresOf(details ?? NO_ROWS),
    streams: [...streams].sort(byName).map((stream) => streamReceipt(run, stream)),
  };
  return storable(receipt) as SyncReceiptView;
}

function streamReceipt({ status: ofRun }: RunRecord, row: StreamRunRow): ReceiptStreamView {
  const open = row.status === 'pending' || row.status === 'running';
  const [layer = '', scope = '', table = ''] = row.datasetId.split('.');
  const quarantine = quarantineOf({ namespace: `${layer}.${scope}`, table });
  return {
    stream_id: row.streamId,
    name: row.name,
    namespace: row.namespace ?? null,
    dataset_id: row.datasetId,
    quarantine_dataset_id: row.rowsRejected > 0 ? `${quarantine.namespace}.${quarantine.table}` : null,
    status: (open ? ofRun : row.status) as ReceiptStreamView['status'],
    ...figuresOf(row),
    rows_replaced: row.rowsReplaced,
    left_out: row.leftOut,
    rows_in_table: row.rowsInTable ?? null,
    checksum: row.checksum ?? null,
    schema_id: row.schemaId ?? null,
    snapshot_ids: row.snapshotIds,
    commits: row.commits,
    state_sha256: row.stateSha256 ?? null,
    schema_changes: row.schemaChanges,
    failure: failureOf(row.failure ?? undefined),
  };
}

function figuresOf(row: Pick<SyncRunRow, keyof typeof NO_ROWS>) {
  return {
    rows_read: row.rowsRead,
    rows_written: row.rowsWritten,
    rows_with_errors: row.rowsWithErrors,
    rows_with_extra: row.rowsWithExtra,
    rows_quarantined: row.rowsRejected,
    rows_deduplicated: row.rowsDeduplicated ?? null,
    bytes_read: row.bytesRead,
    files_read: row.filesRead,
    files_unchanged: row.filesUnchanged,
    files_left_out: row.filesLeftOut,
    files_gone: row.filesGone,
    rows_left_out: row.rowsLeftOut,
  };
}

function failureOf(failure: RunFailureRecord | undefined): SyncReceiptView['failure'] {
  if (failure === undefined) return null;
  const { code, origin, retryable, detail, hint } = failure;
  return { code, origin, retryable, detail, hint: hint ?? null };
}

function byName(a: StreamRunRow, b: StreamRunRow): number {
  const [left, right] = [`${a.name}\n${a.streamId}`, `${b.name}\n${b.streamId}`];
  return left < right ? -1 : 1;
}

/** The value with every text such that the database gives it back as it is: no NUL, no half of a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\u0000', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, storable(member)]));
}
