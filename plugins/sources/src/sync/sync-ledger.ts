import type { CommitBatch } from '@weir/engine';
import type { Kernel, Tenant } from '@weir/kernel';
import {
  type CheckpointWrite,
  MAX_LISTED_SNAPSHOTS,
  type PreparedTable,
  type ResumePoint,
  type TableCommit,
  type TableRef,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import type { SyncPhase } from '../contract.ts';
import type { CommittedRows } from '../run-log/attempt-log.ts';
import type { StreamRow } from '../stream/entity.ts';
import { datasetIdOf } from '../stream/view.ts';
import { NO_ROWS, StreamRunEntity } from './entity.ts';
import { type Failure, recordOf } from './failure.ts';
import type { Progress, StreamResult } from './messages.ts';
import type { PlannedStream, RefusedStream, SyncPlan } from './plan-sync.ts';
import { countersOf, type Figures, getsOn, typeName, withBatch, withFields } from './sync-figures.ts';
import type { Sync, WantedColumn } from './sync-types.ts';
import { tableCommits } from './table-commits.ts';
import { type PulledSoFar, pullView } from './view.ts';

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
/** The table of a stream as it is by now. */
type Tables = (streamId: string) => PreparedTable;

/** Keeps the books of one attempt: commits with their checkpoints, and the counters that people see. */
export function syncLedger(kernel: Kernel, tables: TablesService, attempt: Attempt, plan: SyncPlan) {
  const { tenant, runId, leaseEpoch } = attempt;
  const standings = new Map(plan.streams.map((stream) => [stream.row.streamId, standingOf(stream)]));
  const standing = (streamId: string): Standing => {
    const found = standings.get(streamId);
    if (found === undefined) throw new Error('the sync process names a stream that is not in its plan');
    return found;
  };

  let phase: OpenPhase = 'preparing';
  let pull: PulledSoFar | undefined;
  /** What was written last of each stream: most of many stand still while one is read. */
  const shown: Shown = new Map();

  return {
    /** Notes how far the image of the connector is pulled. */
    pulling({ bytes, totalBytes }: PulledSoFar): void {
      phase = 'pulling';
      pull = { bytes, totalBytes };
    },

    /** Makes the rows of the run's streams, and takes over what earlier attempts have committed. */
    async open(): Promise<void> {
      await openStreamRuns(kernel, attempt, { standings, refused: plan.refused });
      if (leaseEpoch > 1) for (const known of standings.values()) await recallSnapshots(tables, attempt, known);
      await this.record();
    },

    /** Commits batches with the states that cover them, in one step; tells what has come of each. */
    async commit(batches: readonly CommitBatch<Sync>[], tablesNow: Tables): Promise<CommittedRows[]> {
      const drafts = batches.map((batch) => draftOf(batch, standing(batch.stream), attempt));
      const commits = commitsOf(drafts);
      const checkpoints = drafts.map(({ checkpoint }) => checkpoint);
      const result = await tables.commit(tenant, { runId, leaseEpoch, tables: commits, checkpoints });
      const snapshotOf = new Map(commits.map((commit, at) => [commit, result.tables[at]?.snapshotId ?? undefined]));
      const done = drafts.map((draft) => settled(draft, tablesNow(draft.batch.stream), { runId, snapshotOf }));
      phase = 'committing';
      await this.record();
      return done;
    },

    /** Notes columns that a stream was given. */
    evolved(streamId: string, columns: readonly WantedColumn[]): void {
      const known = standing(streamId);
      const notes = columns.map(({ name, type }) => ({ field: name, change: 'added' as const, type: typeName(type) }));
      known.figures = { ...known.figures, fields: withFields(known.figures.fields, notes) };
    },

    /** Notes how far the connector has been read, which runs then. */
    progress(streams: Record<string, Progress>): void {
      phase = 'reading';
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
        rowsDeduplicated: rowsDeduplicatedOf(standings),
        bytesRead: sum(bytesReadOf),
      };
    },

    /** What a heartbeat tells of the attempt: rows and bytes so far, the newest commit of the run, what was pulled. */
    pulse() {
      const committed = [...standings.values()].filter(({ committedAt }) => committedAt !== undefined);
      const newest = committed.toSorted((a, b) => Number(b.committedAt) - Number(a.committedAt))[0];
      const last = newest && { at: newest.committedAt, snapshotId: newest.figures.snapshotIds.at(-1) ?? null };
      return { ...this.totals(), lastCommit: last ?? null, pull: pull ?? null };
    },

    /** Writes the counters of the run and its streams where the API reads them. */
    async record(): Promise<void> {
      await writeCounters(kernel, attempt, { phase, pull, totals: this.totals(), standings, shown });
    },

    /** Writes the outcome of each stream. */
    async conclude(results: readonly StreamResult[]): Promise<void> {
      phase = 'committing';
      // The last word is a whole one.
      shown.clear();
      await this.record();
      await kernel.db(tenant).transaction(async (tx) => {
        for (const { streamId, failure } of results) {
          const row = await tx.findOne(StreamRunEntity, { runId, streamId });
          if (row !== undefined)
            await tx.update(row, { status: statusOf(failure), failure: failure ? recordOf(failure) : null });
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

/** By stream, the values of its row as they were written. */
type Shown = Map<string, string>;

/** Where a run can be while an attempt has it in hands. */
type OpenPhase = Exclude<SyncPhase, 'waiting' | 'ended'>;

interface Counters {
  phase: OpenPhase;
  pull: PulledSoFar | undefined;
  totals: ReturnType<SyncLedger['totals']>;
  standings: Standings;
  shown: Shown;
}

/** Writes what people see of the run; an attempt that a newer one has replaced changes nothing of the run's row. */
async function writeCounters(
  kernel: Kernel,
  attempt: Attempt,
  { phase, pull, totals, standings, shown }: Counters,
): Promise<void> {
  const { runId, leaseEpoch } = attempt;
  const rows = [...standings].map(([streamId, known]) => [streamId, streamValues(known)] as const);
  const changed = rows.filter(([streamId, values]) => shown.get(streamId) !== JSON.stringify(values));
  const isOurs = await kernel.db(attempt.tenant).transaction(async (tx) => {
    const { rowCount } = await tx.sql(
      `update sources.sync_run set phase = $2, attempt = $3, rows_read = $4, rows_written = $5, rows_with_errors = $6,
         rows_with_extra = $7, rows_rejected = $8, bytes_read = $9, pull = $10::jsonb,
         rows_deduplicated = $11, updated_at = now()
       where run_id = $1 and attempt <= $3`,
      [
        ...[runId, phase, leaseEpoch, totals.rowsRead, totals.rowsWritten, totals.rowsWithErrors],
        ...[totals.rowsWithExtra, totals.rowsRejected, totals.bytesRead],
        pull === undefined || phase !== 'pulling' ? null : JSON.stringify(pullView(pull)),
        totals.rowsDeduplicated,
      ],
    );
    if (rowCount === 0) return false;
    for (const [streamId, values] of changed) {
      await tx.sql(
        `update sources.stream_run set rows_read = $3, rows_written = $4, rows_with_errors = $5, rows_with_extra = $6,
           rows_rejected = $7, bytes_read = $8, commits = $9, rows_in_table = $10, snapshot_ids = $11::jsonb,
           snapshot_id = $12, schema_changes = $13::jsonb, committed_at = $14, checksum = $17, rows_deduplicated = $18,
           schema_id = coalesce($15, schema_id), state_sha256 = coalesce($16, state_sha256)
         where run_id = $1 and stream_id = $2`,
        [runId, streamId, ...values],
      );
    }
    return true;
  });
  if (isOurs) for (const [streamId, values] of changed) shown.set(streamId, JSON.stringify(values));
}

/** What the row of a stream shows, in the order of the statement. */
function streamValues(known: Standing): readonly unknown[] {
  const { figures, committedAt, schemaId, stateSha256 } = known;
  return [
    ...[rowsReadOf(known), figures.rowsWritten, figures.rowsWithErrors, figures.rowsWithExtra],
    ...[figures.rowsRejected, bytesReadOf(known), figures.batch],
    figures.batch > 0 ? figures.rowsInTable : null,
    ...[JSON.stringify(figures.snapshotIds), figures.snapshotIds.at(-1) ?? null, JSON.stringify(figures.fields)],
    ...[committedAt ?? null, schemaId ?? null, stateSha256 ?? null],
    figures.batch > 0 ? (figures.checksum ?? null) : null,
    figures.rowsDeduplicated ?? null,
  ];
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
export function decidingFailure(results: readonly StreamResult[]): Failure | undefined {
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

interface Draft {
  batch: CommitBatch<Sync>;
  known: Standing;
  figures: Figures;
  commits: readonly TableCommit[];
  checkpoint: CheckpointWrite;
}

/** What one stream brings to a commit: changes of its tables, and its checkpoint. */
function draftOf(batch: CommitBatch<Sync>, known: Standing, { leaseEpoch }: Attempt): Draft {
  const { stream } = known;
  const state = batch.batch.state ?? stream.engine.state;
  // Asked for until it does: to compare states takes long where they are large.
  const hasGotOn = known.figures.gotOnAt === leaseEpoch || getsOn(batch, stream.engine.state);
  const figures = withBatch(known.figures, batch, hasGotOn ? leaseEpoch : undefined);
  const commits = tableCommits(batch, { stream, state, follows: known.follows, attempt: leaseEpoch });
  const overwrote = batch.replaces && stream.row.syncMode === 'full_refresh' ? 1 : 0;
  const counters = { ...countersOf(figures), overwrote, whole: batch.isWhole ? 1 : 0 };
  return { batch, known, figures, commits, checkpoint: { key: stream.checkpointKey, state: state ?? null, counters } };
}

/** Takes a commit that stands into the books of its stream; tells what has come of it. */
function settled(
  { batch, known, figures, commits: [rows, quarantine] }: Draft,
  { schema }: PreparedTable,
  { runId, snapshotOf }: { runId: string; snapshotOf: ReadonlyMap<TableCommit | undefined, string | undefined> },
): CommittedRows {
  const snapshotId = snapshotOf.get(rows);
  const id = `${runId}:${batch.stream}:${batch.number}`;
  Object.assign(known, {
    figures: snapshotId === undefined ? figures : { ...figures, snapshotIds: [...figures.snapshotIds, snapshotId] },
    follows: known.follows && {
      rows: snapshotId === undefined ? known.follows.rows : id,
      quarantine: snapshotOf.get(quarantine) === undefined ? known.follows.quarantine : id,
    },
    stateSha256: rows?.stateSha256,
    schemaId: (schema as { 'schema-id': number })['schema-id'],
    committedAt: new Date(),
  });
  const count = batch.batch.parts.reduce((sum, part) => sum + part.rows, 0);
  return { rows: count, rejected: batch.batch.rejected, deduplicated: batch.merged?.deduplicated ?? 0, snapshotId };
}

/** The changes of all tables; one that stays as it is takes no part where several streams are committed together. */
function commitsOf(drafts: readonly Draft[]): TableCommit[] {
  const commits = drafts.flatMap((draft) => draft.commits);
  return drafts.length === 1 ? commits : commits.filter(({ mode, files }) => mode !== 'append' || files.length > 0);
}

function statusOf(failure: Failure | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (failure === undefined) return 'succeeded';
  return failure.code === 'connector_stopped' ? 'cancelled' : 'failed';
}

/** What an earlier attempt has read counts as far as it was committed. */
function rowsReadOf({ earlier, read }: Standing): number {
  return earlier.rows + read.rows;
}

/** What is not known of one stream is not known of all. */
function rowsDeduplicatedOf(standings: Standings): number | null {
  const counts = [...standings.values()].map(({ figures }) => figures.rowsDeduplicated);
  return counts.some((count) => count === undefined) ? null : counts.reduce<number>((sum, count = 0) => sum + count, 0);
}

function bytesReadOf({ earlier, read }: Standing): number {
  return earlier.bytes + read.bytes;
}
