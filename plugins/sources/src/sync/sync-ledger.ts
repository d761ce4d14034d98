import type { CommitBatch } from '@weir/engine';
import type { Kernel, RunFailureRecord, Tenant } from '@weir/kernel';
import {
  type CommitResult,
  MAX_LISTED_SNAPSHOTS,
  type PreparedTable,
  type ResumePoint,
  type TableRef,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import type { CommittedRows } from '../run-log/attempt-log.ts';
import type { StreamRow } from '../stream/entity.ts';
import { datasetIdOf } from '../stream/view.ts';
import { NO_ROWS, StreamRunEntity } from './entity.ts';
import type { Progress, StreamResult } from './messages.ts';
import type { PlannedStream, RefusedStream, SyncPlan } from './plan-sync.ts';
import { countersOf, type Figures, typeName, withBatch, withFields } from './sync-figures.ts';
import type { Sync, WantedColumn } from './sync-types.ts';
import { tableCommits } from './table-commits.ts';

/** Who commits: a run, the attempt that holds its lease, and the tenant. */
export interface Attempt {
  tenant: Tenant;
  runId: string;
  leaseEpoch: number;
}

/** What a stream of this run stands at: kept in its checkpoint with the rows, mirrored in the run's rows for readers. */
interface Standing {
  stream: PlannedStream;
  figures: Figures;
  /** The ids of its newest commits, as far as anybody asks. */
  follows: ResumePoint['follows'];
  stateSha256: string | undefined;
  schemaId: number | undefined;
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
  const standings = new Map(plan.streams.map((stream) => [stream.row.streamId, standingOf(stream)]));
  const standing = (streamId: string): Standing => {
    const found = standings.get(streamId);
    if (found === undefined) throw new Error('the sync process names a stream that is not in its plan');
    return found;
  };

  return {
    /** Makes the rows of the run's streams, and takes over what earlier attempts have committed. */
    async open(): Promise<void> {
      await openStreamRuns(kernel, attempt, { standings, refused: plan.refused });
      if (leaseEpoch > 1) for (const known of standings.values()) await recallSnapshots(tables, attempt, known);
      await this.record('preparing');
    },

    /** Commits a batch with the state that covers it; tells what has come of it. */
    async commit(effect: CommitBatch<Sync>, { schema }: PreparedTable): Promise<CommittedRows> {
      const known = standing(effect.stream);
      const { stream } = known;
      const state = effect.batch.state ?? stream.engine.state;
      const figures = withBatch(known.figures, effect);
      const facts = { stream, state, follows: known.follows, attempt: leaseEpoch };
      const commits = tableCommits(effect, facts);
      const overwrote = effect.replaces && stream.row.syncMode === 'full_refresh' ? 1 : 0;
      const done = (snapshotId: string | null | undefined): Figures =>
        snapshotId == null ? figures : { ...figures, snapshotIds: [...figures.snapshotIds, snapshotId] };
      const counters = { ...countersOf(figures), overwrote, whole: effect.isWhole ? 1 : 0 };
      const result = await tables.commit(tenant, {
        runId,
        leaseEpoch,
        tables: commits,
        checkpoints: [{ key: stream.checkpointKey, state: state ?? null, counters }],
      });
      Object.assign(known, {
        figures: done(result.tables[0]?.snapshotId),
        follows: known.follows && followedBy(known.follows, `${runId}:${effect.stream}:${effect.number}`, result),
        stateSha256: commits[0]?.stateSha256,
        schemaId: (schema as { 'schema-id': number })['schema-id'],
        committedAt: new Date(),
      });
      await this.record('committing');
      const rows = effect.batch.parts.reduce((sum, part) => sum + part.rows, 0);
      return { rows, rejected: effect.batch.rejected, snapshotId: result.tables[0]?.snapshotId ?? undefined };
    },

    /** Notes columns that a stream was given. */
    evolved(streamId: string, columns: readonly WantedColumn[]): void {
      const known = standing(streamId);
      const notes = columns.map(({ name, type }) => ({ field: name, change: 'added' as const, type: typeName(type) }));
      known.figures = { ...known.figures, fields: withFields(known.figures.fields, notes) };
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
        rowsWritten: sum(({ figures }) => figures.rowsWritten),
        rowsWithErrors: sum(({ figures }) => figures.rowsWithErrors),
        rowsWithExtra: sum(({ figures }) => figures.rowsWithExtra),
        rowsRejected: sum(({ figures }) => figures.rowsRejected),
        bytesRead: sum(bytesReadOf),
      };
    },

    /** What a heartbeat tells of the attempt: rows and bytes so far, and the newest commit of the run. */
    pulse() {
      const committed = [...standings.values()].filter(({ committedAt }) => committedAt !== undefined);
      const newest = committed.toSorted((a, b) => Number(b.committedAt) - Number(a.committedAt))[0];
      const last = newest && { at: newest.committedAt, snapshotId: newest.figures.snapshotIds.at(-1) ?? null };
      return { ...this.totals(), lastCommit: last ?? null };
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
         rows_with_extra = $7, rows_rejected = $8, bytes_read = $9, updated_at = now()
       where run_id = $1 and attempt <= $3`,
      [
        ...[runId, phase, leaseEpoch, totals.rowsRead, totals.rowsWritten, totals.rowsWithErrors],
        ...[totals.rowsWithExtra, totals.rowsRejected, totals.bytesRead],
      ],
    );
    if (rowCount === 0) return;
    for (const [streamId, known] of standings) {
      const { figures, committedAt, schemaId, stateSha256 } = known;
      await tx.sql(
        `update sources.stream_run set rows_read = $3, rows_written = $4, rows_with_errors = $5, rows_with_extra = $6,
           rows_rejected = $7, bytes_read = $8, commits = $9, rows_in_table = $10, snapshot_ids = $11::jsonb,
           snapshot_id = $12, schema_changes = $13::jsonb, committed_at = $14, checksum = $17,
           schema_id = coalesce($15, schema_id), state_sha256 = coalesce($16, state_sha256)
         where run_id = $1 and stream_id = $2`,
        [
          ...[runId, streamId, rowsReadOf(known), figures.rowsWritten, figures.rowsWithErrors, figures.rowsWithExtra],
          ...[figures.rowsRejected, bytesReadOf(known), figures.batch],
          figures.batch > 0 ? figures.rowsInTable : null,
          ...[JSON.stringify(figures.snapshotIds), figures.snapshotIds.at(-1) ?? null, JSON.stringify(figures.fields)],
          ...[committedAt ?? null, schemaId ?? null, stateSha256 ?? null],
          figures.batch > 0 ? (figures.checksum ?? null) : null,
        ],
      );
    }
  });
}

/** Finds the snapshots that earlier attempts of the run have made; the last one may be known to the table alone. */
async function recallSnapshots(tables: TablesService, { tenant, runId }: Attempt, known: Standing): Promise<void> {
  const { ref }: { ref: TableRef } = known.stream;
  const listed = await tables.snapshots(tenant, ref, { limit: MAX_LISTED_SNAPSHOTS });
  const ours = listed.filter((snapshot) => snapshot.runId === runId).map(({ snapshotId }) => snapshotId);
  const { snapshotIds } = known.figures;
  const missing = ours.filter((snapshotId) => !snapshotIds.includes(snapshotId)).reverse();
  known.figures = { ...known.figures, snapshotIds: [...snapshotIds, ...missing] };
}

export type SyncLedger = ReturnType<typeof syncLedger>;

/** The failure that decides on the run: the first that a stream has of its own. */
export function decidingFailure(results: readonly StreamResult[]): RunFailureRecord | undefined {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return failures.find(({ code }) => code !== 'other_stream_failed') ?? failures[0];
}

function standingOf(stream: PlannedStream): Standing {
  const { figures, resume } = stream;
  return {
    stream,
    figures,
    follows: resume.follows,
    stateSha256: undefined,
    schemaId: undefined,
    committedAt: undefined,
    earlier: { rows: figures.rowsWritten + figures.rowsRejected, bytes: figures.bytes },
    read: { rows: 0, bytes: 0 },
  };
}

/** What the next commit follows: this one, in each table where it made a snapshot. */
function followedBy(
  before: NonNullable<ResumePoint['follows']>,
  commitId: string,
  { tables: [rows, quarantine] }: CommitResult,
): ResumePoint['follows'] {
  return {
    rows: rows?.snapshotId == null ? before.rows : commitId,
    quarantine: quarantine?.snapshotId == null ? before.quarantine : commitId,
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
