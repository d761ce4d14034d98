import { createHash } from 'node:crypto';
import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import type { CheckpointCounters, TablesService } from '@weir/plugin-datasets/contract';
import type { StreamRow } from '../stream/entity.ts';
import { datasetIdOf } from '../stream/view.ts';
import { NO_ROWS, StreamRunEntity } from './entity.ts';
import type { CommitRequestMessage, Progress, StreamResult } from './messages.ts';
import type { PlannedStream, RefusedStream, SyncPlan } from './plan-sync.ts';

/** Who commits: a run, the attempt that holds its lease, and the tenant. */
export interface Attempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
}

/** What a stream of this run stands at: kept in its checkpoint with the rows, mirrored in the run's rows for readers. */
interface Standing {
  stream: PlannedStream;
  state: string | undefined;
  batch: number;
  rowsWritten: number;
  rowsWithErrors: number;
  bytes: number;
  snapshotId: string | undefined;
  committedAt: Date | undefined;
  /** What earlier attempts of this run have committed. */
  earlier: Progress;
  /** What this attempt has read. */
  read: Progress;
}

type Standings = ReadonlyMap<string, Standing>;

/** Keeps the books of one attempt: commits with their checkpoints, and the counters that people see. */
export function syncLedger(kernel: Kernel, tables: TablesService, attempt: Attempt, plan: SyncPlan) {
  const { tenant, runId, leaseEpoch } = attempt;
  const standings = new Map(plan.streams.map((stream) => [stream.row.streamId, standingOf(stream, runId)]));
  const standing = (streamId: string): Standing => {
    const found = standings.get(streamId);
    if (found === undefined) throw new Error('the sync process names a stream that is not in its plan');
    return found;
  };

  return {
    /** Makes the rows of the run's streams, and takes over what earlier attempts have committed. */
    async open(): Promise<void> {
      await openStreamRuns(kernel, attempt, { standings, refused: plan.refused });
      await this.record('preparing');
    },

    /** Commits staged files with the state that covers them. Nothing new makes no commit. */
    async commit(request: CommitRequestMessage): Promise<void> {
      const known = standing(request.streamId);
      const { stream } = known;
      const state = stream.row.syncMode === 'incremental' ? (request.state ?? known.state) : undefined;
      // One that found nothing still replaces what is there, and so does one that began in another mode in this run.
      const { replaces } = stream;
      if (request.files.length === 0 && state === known.state && !replaces) return;
      const batch = known.batch + 1;
      const counters = {
        batch,
        rows_written: known.rowsWritten + request.rows,
        rows_with_errors: known.rowsWithErrors + request.rowsWithErrors,
        bytes: known.bytes + request.bytes,
        overwrote: stream.replaces && stream.row.syncMode === 'full_refresh' ? 1 : 0,
        // Another attempt of this run finds nothing left to do.
        whole: stream.child.atEnd ? 1 : 0,
      };
      const result = await tables.commit(tenant, {
        runId,
        leaseEpoch,
        tables: [
          {
            ref: stream.ref,
            mode: replaces ? 'overwrite' : 'append',
            files: request.files,
            streamId: request.streamId,
            attempt: leaseEpoch,
            batch,
            stateSha256: createHash('sha256')
              .update(state ?? '')
              .digest('hex'),
            generation: stream.row.generation,
          },
        ],
        checkpoints: [{ key: stream.checkpointKey, state: state ?? null, counters }],
      });
      Object.assign(known, {
        state,
        batch,
        rowsWritten: counters.rows_written,
        rowsWithErrors: counters.rows_with_errors,
        bytes: counters.bytes,
        snapshotId: result.tables[0]?.snapshotId ?? known.snapshotId,
        committedAt: new Date(),
      });
      await this.record('committing');
    },

    /** Notes how far the connector has been read. */
    progress(streams: Record<string, Progress>): void {
      for (const [streamId, read] of Object.entries(streams)) standing(streamId).read = read;
    },

    /** Rows and bytes so far, of all streams together. */
    totals() {
      const sum = (of: (known: Standing) => number) =>
        [...standings.values()].reduce((total, known) => total + of(known), 0);
      return {
        rowsRead: sum(rowsReadOf),
        rowsWritten: sum((known) => known.rowsWritten),
        rowsWithErrors: sum((known) => known.rowsWithErrors),
        bytesRead: sum(bytesReadOf),
      };
    },

    /** Writes the counters of the run and its streams where the API reads them. */
    async record(phase: 'preparing' | 'reading' | 'committing'): Promise<void> {
      await writeCounters(kernel, attempt, { phase, totals: this.totals(), standings });
    },

    /** Writes the outcome of each stream. */
    async conclude(results: readonly StreamResult[]): Promise<void> {
      await this.record('committing');
      await kernel.db(tenant).transaction(async (tx) => {
        for (const { streamId, failure } of results) {
          const row = await tx.findOne(StreamRunEntity, { runId, streamId });
          if (row !== undefined) await tx.update(row, { status: statusOf(failure), failure: failure ?? null });
        }
      });
    },
  };
}

/** Makes the rows of the run's streams; a later attempt finds them and takes over the snapshots that they name. */
async function openStreamRuns(
  kernel: Kernel,
  { tenant, runId }: Attempt,
  { standings, refused }: { standings: Standings; refused: readonly RefusedStream[] },
): Promise<void> {
  await kernel.db(tenant).transaction(async (tx) => {
    const rows = await tx.find(StreamRunEntity, { runId });
    const open = ({ streamId, name, namespace }: StreamRow, datasetId: string) => {
      const stream = { streamId, name, namespace: namespace ?? null, datasetId };
      const nothing = { ...NO_ROWS, commits: 0, schemaChanges: [], snapshotIds: [] };
      return tx.insert(StreamRunEntity, { runId, ...stream, status: 'running', ...nothing });
    };
    for (const { row } of refused) {
      const known = rows.some(({ streamId }) => streamId === row.streamId);
      if (!known) await open(row, datasetIdOf(tenant, row));
    }
    for (const [streamId, known] of standings) {
      const { row, ref } = known.stream;
      const datasetId = `${ref.namespace}.${ref.table}`;
      const found = rows.find((candidate) => candidate.streamId === streamId);
      if (found !== undefined && found.datasetId !== datasetId) {
        // Routed elsewhere between two attempts.
        await tx.update(found, { datasetId, snapshotId: null, committedAt: null });
      }
      known.snapshotId = found?.snapshotId ?? undefined;
      known.committedAt = found?.committedAt ?? undefined;
      if (found === undefined) await open(row, datasetId);
    }
  });
}

interface Counters {
  phase: 'preparing' | 'reading' | 'committing';
  totals: ReturnType<SyncLedger['totals']>;
  standings: Standings;
}

/** Writes what people see of the run; an attempt that a newer one has replaced changes nothing of the run's row. */
async function writeCounters(kernel: Kernel, attempt: Attempt, { phase, totals, standings }: Counters): Promise<void> {
  const { runId, leaseEpoch } = attempt;
  await kernel.db(attempt.tenant).transaction(async (tx) => {
    const { rowCount } = await tx.sql(
      `update sources.sync_run set phase = $2, attempt = $3, rows_read = $4, rows_written = $5, rows_with_errors = $6,
         bytes_read = $7, updated_at = now() where run_id = $1 and attempt <= $3`,
      [runId, phase, leaseEpoch, totals.rowsRead, totals.rowsWritten, totals.rowsWithErrors, totals.bytesRead],
    );
    if (rowCount === 0) return;
    for (const [streamId, known] of standings) {
      const { rowsWritten, rowsWithErrors, batch, snapshotId, committedAt } = known;
      await tx.sql(
        `update sources.stream_run set rows_read = $3, rows_written = $4, rows_with_errors = $5, bytes_read = $6,
           commits = $7, snapshot_id = $8, committed_at = $9 where run_id = $1 and stream_id = $2`,
        [
          runId,
          streamId,
          rowsReadOf(known),
          rowsWritten,
          rowsWithErrors,
          bytesReadOf(known),
          batch,
          snapshotId ?? null,
          committedAt ?? null,
        ],
      );
    }
  });
}

export type SyncLedger = ReturnType<typeof syncLedger>;

/** The failure that decides on the run: the first that a stream has of its own. */
export function decidingFailure(results: readonly StreamResult[]): RunFailureRecord | undefined {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return failures.find(({ code }) => code !== 'other_stream_failed') ?? failures[0];
}

function standingOf(stream: PlannedStream, runId: string): Standing {
  const { checkpoint } = stream;
  const counters: CheckpointCounters = checkpoint?.runId === runId ? checkpoint.counters : {};
  const count = (name: string): number => Number(counters[name] ?? 0);
  return {
    stream,
    state: typeof checkpoint?.state === 'string' ? checkpoint.state : undefined,
    batch: count('batch'),
    rowsWritten: count('rows_written'),
    rowsWithErrors: count('rows_with_errors'),
    bytes: count('bytes'),
    snapshotId: undefined,
    committedAt: undefined,
    earlier: { rows: count('rows_written'), bytes: count('bytes') },
    read: { rows: 0, bytes: 0 },
  };
}

function statusOf(failure: RunFailureRecord | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (failure === undefined) return 'succeeded';
  return failure.code === 'connector_stopped' ? 'cancelled' : 'failed';
}

/** What an earlier attempt has read counts as far as it was committed. */
function rowsReadOf({ earlier, read }: Standing): number {
  return earlier.rows + read.rows;
}

function bytesReadOf({ earlier, read }: Standing): number {
  return earlier.bytes + read.bytes;
}
