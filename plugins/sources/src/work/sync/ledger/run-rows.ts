import type { Kernel, Tenant } from '@weir/kernel';
import type { SyncPhase } from '../../../contract.ts';
import type { StreamRow } from '../../../model/stream/entity.ts';
import { datasetIdOf } from '../../../model/stream/view.ts';
import { NO_ROWS, StreamRunEntity } from '../../../model/sync/entity.ts';
import { type PulledSoFar, pullView } from '../../../model/sync/view.ts';
import type { RefusedStream } from '../plan/plan-sync.ts';
import { notesOf, readOf, type Standing, type Standings, totalsOf } from './standing.ts';

/** Who commits: a run, the attempt that holds its lease, and the tenant. */
export interface Attempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
}

/** Makes the rows of the run's streams; a later attempt finds them and takes over the snapshots that they name. */
export async function openStreamRuns(
  kernel: Kernel,
  { tenant, runId }: Attempt,
  { standings, refused }: { standings: Standings; refused: readonly RefusedStream[] },
): Promise<void> {
  await kernel.db(tenant).transaction(async (tx) => {
    const rows = await tx.find(StreamRunEntity, { runId });
    const open = ({ streamId, name, namespace }: StreamRow, datasetId: string) => {
      const stream = { streamId, name, namespace: namespace ?? null, datasetId };
      const nothing = { ...NO_ROWS, commits: 0, schemaChanges: [], snapshotIds: [], leftOut: [] };
      return tx.insert(StreamRunEntity, { runId, ...stream, status: 'running', ...nothing });
    };
    for (const { row } of refused) {
      const isKnown = rows.some(({ streamId }) => streamId === row.streamId);
      if (!isKnown) await open(row, datasetIdOf(tenant, row));
    }
    for (const [streamId, known] of standings) {
      const { row, ref } = known.stream;
      const datasetId = `${ref.namespace}.${ref.table}`;
      const found = rows.find((candidate) => candidate.streamId === streamId);
      if (found === undefined) {
        await open(row, datasetId);
      } else if (found.datasetId !== datasetId) {
        // Routed elsewhere between two attempts.
        await tx.update(found, { datasetId, snapshotId: null, committedAt: null });
      }
      known.committedAt = found?.committedAt ?? undefined;
    }
  });
}

/** Where a run can be while an attempt has it in hands. */
export type OpenPhase = Exclude<SyncPhase, 'waiting' | 'ended'>;

/** By stream, the values of its row as they were written last: most of many stand still while one is read. */
export type ShownValues = Map<string, string>;

interface Counters {
  phase: OpenPhase;
  pull: PulledSoFar | undefined;
  standings: Standings;
  /** Brought up to date here. */
  shown: ShownValues;
}

/**
 * Writes what people see of the run and of those of its streams that have changed. An attempt that a newer one has replaced
 * writes nothing.
 */
export async function writeCounters(kernel: Kernel, attempt: Attempt, counters: Counters): Promise<void> {
  const { shown, standings } = counters;
  const rows = [...standings].map(([streamId, known]) => ({ streamId, values: streamValues(known) }));
  const changed = rows.filter(({ streamId, values }) => shown.get(streamId) !== JSON.stringify(values));
  const isOurs = await kernel.db(attempt.tenant).transaction(async (tx) => {
    const { rowCount } = await tx.sql(UPDATE_RUN, [attempt.runId, attempt.leaseEpoch, ...runValues(counters)]);
    if (rowCount === 0) return false;
    for (const { streamId, values } of changed) await tx.sql(UPDATE_STREAM, [attempt.runId, streamId, ...values]);
    return true;
  });
  if (!isOurs) return;
  for (const { streamId, values } of changed) shown.set(streamId, JSON.stringify(values));
}

const UPDATE_RUN = `
update sources.sync_run set
  attempt = $2,
  phase = $3,
  pull = $4::jsonb,
  rows_read = $5,
  rows_written = $6,
  rows_with_errors = $7,
  rows_with_extra = $8,
  rows_rejected = $9,
  rows_deduplicated = $10,
  bytes_read = $11,
  files_read = $12,
  files_unchanged = $13,
  files_left_out = $14,
  files_gone = $15,
  rows_left_out = $16,
  updated_at = now()
where run_id = $1 and attempt <= $2`;

/** What the row of a run shows, from the third parameter of its statement on. */
function runValues({ phase, pull, standings }: Counters): readonly unknown[] {
  const totals = totalsOf(standings);
  return [
    phase,
    pull !== undefined && phase === 'pulling' ? JSON.stringify(pullView(pull)) : null,
    totals.rowsRead,
    totals.rowsWritten,
    totals.rowsWithErrors,
    totals.rowsWithExtra,
    totals.rowsRejected,
    totals.rowsDeduplicated,
    totals.bytesRead,
    totals.filesRead,
    totals.filesUnchanged,
    totals.filesLeftOut,
    totals.filesGone,
    totals.rowsLeftOut,
  ];
}

const UPDATE_STREAM = `
update sources.stream_run set
  rows_read = $3,
  rows_written = $4,
  rows_with_errors = $5,
  rows_with_extra = $6,
  rows_rejected = $7,
  rows_deduplicated = $8,
  bytes_read = $9,
  commits = $10,
  rows_in_table = $11,
  checksum = $12,
  snapshot_ids = $13::jsonb,
  snapshot_id = $14,
  schema_changes = $15::jsonb,
  committed_at = $16,
  schema_id = coalesce($17, schema_id),
  state_sha256 = coalesce($18, state_sha256),
  files_gone = $19,
  rows_replaced = $20,
  files_read = $21,
  files_unchanged = $22,
  files_left_out = $23,
  rows_left_out = $24,
  left_out = $25::jsonb
where run_id = $1 and stream_id = $2`;

/** What the row of a stream shows, from the third parameter of its statement on. */
function streamValues(known: Standing): readonly unknown[] {
  const { figures, committedAt, schemaId, stateSha256 } = known;
  const read = readOf(known);
  const notes = notesOf(known);
  const hasCommitted = figures.batch > 0;
  return [
    read.rows,
    figures.rowsWritten,
    figures.rowsWithErrors,
    figures.rowsWithExtra,
    figures.rowsRejected,
    figures.rowsDeduplicated ?? null,
    read.bytes,
    figures.batch,
    hasCommitted ? figures.rowsInTable : null,
    hasCommitted ? (figures.checksum ?? null) : null,
    JSON.stringify(figures.snapshotIds),
    figures.snapshotIds.at(-1) ?? null,
    JSON.stringify(figures.fields),
    committedAt ?? null,
    schemaId ?? null,
    stateSha256 ?? null,
    notes.filesGone,
    figures.rowsReplaced,
    notes.filesRead,
    notes.filesUnchanged,
    notes.filesLeftOut,
    notes.rowsLeftOut,
    JSON.stringify(notes.leftOut),
  ];
}
