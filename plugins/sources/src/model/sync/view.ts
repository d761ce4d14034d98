import type { PullProgress } from '@weir/connector-runtime';
import { failureView, type RunRecord, type RunWorkerView, runView } from '@weir/kernel';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import {
  getSyncReceipt,
  type PullView,
  type StreamRunView,
  type SyncRunDetailView,
  type SyncRunView,
} from '../../contract.ts';
import { NO_ROWS, type StreamRunRow, type SyncRunRow } from './entity.ts';

type CounterRow = Pick<SyncRunRow, keyof typeof NO_ROWS>;

function countersView(row: CounterRow) {
  return {
    rows_read: row.rowsRead,
    rows_written: row.rowsWritten,
    rows_with_errors: row.rowsWithErrors,
    rows_with_extra: row.rowsWithExtra,
    rows_rejected: row.rowsRejected,
    rows_deduplicated: row.rowsDeduplicated ?? null,
    bytes_read: row.bytesRead,
    files_read: row.filesRead,
    files_unchanged: row.filesUnchanged,
    files_left_out: row.filesLeftOut,
    files_gone: row.filesGone,
    rows_left_out: row.rowsLeftOut,
  };
}

/** What the runtime tells of a pull. */
export type PulledSoFar = Pick<PullProgress, 'bytes' | 'totalBytes'>;

/** How far an image is pulled; how large it is is not known before its first layer begins. */
export function pullView({ bytes, totalBytes }: PulledSoFar): PullView {
  return { bytes, total_bytes: totalBytes === 0 ? null : totalBytes };
}

/** Where a run is, and how far its image is pulled while that goes on; one that has ended is nowhere else. */
export function phaseView<P extends string>(
  { is_terminal: hasEnded }: Pick<ReturnType<typeof runView>, 'is_terminal'>,
  { phase, pull }: { phase: P; pull?: PullView | null | undefined },
): { phase: P | 'ended'; pull: PullView | null } {
  return { phase: hasEnded ? 'ended' : phase, pull: !hasEnded && phase === 'pulling' ? (pull ?? null) : null };
}

/** A sync as the wire shows it: the kernel's run with this plugin's details. */
export function syncRunView(run: RunRecord, details: SyncRunRow | undefined): SyncRunView {
  const facts = runView(run);
  return {
    ...facts,
    source_id: run.subjectId,
    verdict: details?.verdict ?? null,
    ...phaseView(facts, details ?? { phase: 'waiting', pull: null }),
    ...countersView(details ?? NO_ROWS),
  };
}

/** What one sync did for one stream; of a run that has ended no stream can be open any more. */
export function streamRunView(run: Pick<RunRecord, 'status'>, row: StreamRunRow): StreamRunView {
  const open = row.status === 'pending' || row.status === 'running';
  return {
    stream_id: row.streamId,
    name: row.name,
    namespace: row.namespace ?? null,
    dataset_id: row.datasetId,
    status: open && TERMINAL_RUN_STATUSES.includes(run.status) ? run.status : row.status,
    ...countersView(row),
    left_out: row.leftOut,
    rows_replaced: row.rowsReplaced,
    rows_in_table: row.rowsInTable ?? null,
    checksum: row.checksum ?? null,
    schema_id: row.schemaId ?? null,
    schema_changes: row.schemaChanges,
    state_sha256: row.stateSha256 ?? null,
    snapshot_id: row.snapshotId ?? null,
    snapshot_ids: row.snapshotIds,
    commits: row.commits,
    committed_at: row.committedAt?.toISOString() ?? null,
    failure: failureView(row.failure),
  };
}

/** A sync with its streams and, while it is open, its worker. */
export function syncRunDetailView(
  run: RunRecord,
  details: SyncRunRow | undefined,
  { streams, worker }: { streams: readonly StreamRunRow[]; worker: RunWorkerView | undefined },
): SyncRunDetailView {
  const items = streams.map((row) => streamRunView(run, row));
  const view = syncRunView(run, details);
  const receipt = view.is_terminal ? getSyncReceipt.path.replace(':sync_run_id', run.runId) : null;
  return { ...view, worker: worker ?? null, image: imageView(details), receipt, streams: items };
}

function imageView(details: SyncRunRow | undefined): SyncRunDetailView['image'] {
  if (!details?.image) return null;
  const { reference, digest, id, architecture } = details.image;
  return { reference, digest, id, architecture };
}
