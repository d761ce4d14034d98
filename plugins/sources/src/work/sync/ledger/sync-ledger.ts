import { createHash } from 'node:crypto';
import type { CommitBatch } from '@weir/engine';
import type { Kernel } from '@weir/kernel';
import type { CheckpointWrite, PreparedTable, TableCommit, TablesService } from '@weir/plugin-datasets/contract';
import { type Failure, recordOf } from '@weir/work';
import type { ReadNotes } from '../../../model/notes/read-notes.ts';
import type { Progress, StreamResult } from '../../../model/process/messages.ts';
import type { Sync, WantedColumn } from '../../../model/process/sync-types.ts';
import { StreamRunEntity } from '../../../model/sync/entity.ts';
import { countersOf, type Figures, getsOn, typeName, withBatch, withFields } from '../../../model/sync/sync-figures.ts';
import type { PulledSoFar } from '../../../model/sync/view.ts';
import type { PlannedStream, SyncPlan } from '../plan/plan-sync.ts';
import type { CommittedRows } from './attempt-log.ts';
import { type Attempt, type OpenPhase, openStreamRuns, type ShownValues, writeCounters } from './run-rows.ts';
import { coveredNotes, recallSnapshots, type Standing, type Standings, standingOf, totalsOf } from './standing.ts';
import { tableCommits } from './table-commits.ts';

/** The tables of streams as they are by now. */
interface Tables {
  rows(streamId: string): PreparedTable;
  quarantine(streamId: string): Promise<PreparedTable>;
}

/** Keeps the books of one attempt: commits with their checkpoints, and the counters that people see. */
export function syncLedger(kernel: Kernel, tables: TablesService, attempt: Attempt, plan: SyncPlan) {
  const { tenant, runId, leaseEpoch } = attempt;
  const standings: Standings = new Map(plan.streams.map((stream) => [stream.row.streamId, standingOf(stream)]));
  const standing = (streamId: string): Standing => {
    const found = standings.get(streamId);
    if (found === undefined) throw new Error('the sync process names a stream that is not in its plan');
    return found;
  };

  let phase: OpenPhase = 'preparing';
  let pull: PulledSoFar | undefined;
  const shown: ShownValues = new Map();

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
      const drafts: Draft[] = [];
      for (const batch of batches) {
        const quarantine = batch.batch.quarantine.length > 0 ? await tablesNow.quarantine(batch.stream) : undefined;
        const of = { known: standing(batch.stream), prepared: tablesNow.rows(batch.stream), quarantine };
        drafts.push(draftOf(batch, of, attempt));
      }
      const commits = commitsOf(drafts);
      const checkpoints = drafts.map(({ checkpoint }) => checkpoint);
      const result = await tables.commit(tenant, { runId, leaseEpoch, tables: commits, checkpoints });
      const snapshotOf = new Map(commits.map((commit, at) => [commit, result.tables[at]?.snapshotId ?? undefined]));
      const done = drafts.map((draft) => settled(draft, tablesNow.rows(draft.batch.stream), { runId, snapshotOf }));
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

    /** Notes what the connector has noted so far of these streams. */
    noted(streams: Record<string, ReadNotes>): void {
      for (const [streamId, notes] of Object.entries(streams)) standing(streamId).noted = notes;
    },

    /** Notes what a state of a stream, or its end, covers of that. */
    covered(streamId: string, state: string | undefined, notes: ReadNotes): void {
      standing(streamId).covered.set(state ?? '', notes);
    },

    /** Whether only the table can tell what the run has left in it. */
    isUncounted: ({ row, engine }: PlannedStream): boolean =>
      engine.merges || standing(row.streamId).figures.checksum === undefined,

    /** Rows and bytes so far, of all streams together. */
    totals: () => totalsOf(standings),

    /** What a heartbeat tells of the attempt: rows and bytes so far, the newest commit of the run, what was pulled. */
    pulse() {
      const committed = [...standings.values()].filter(({ committedAt }) => committedAt !== undefined);
      const newest = committed.toSorted((a, b) => Number(b.committedAt) - Number(a.committedAt))[0];
      const last = newest && { at: newest.committedAt, snapshotId: newest.figures.snapshotIds.at(-1) ?? null };
      return { ...totalsOf(standings), lastCommit: last ?? null, pull: pull ?? null };
    },

    /** Writes the counters of the run and its streams where the API reads them. */
    async record(): Promise<void> {
      await writeCounters(kernel, attempt, { phase, pull, standings, shown });
    },

    /** Writes the outcome of each stream. */
    async conclude(results: readonly StreamResult[]): Promise<void> {
      phase = 'committing';
      for (const { streamId, failure } of results) {
        const known = standings.get(streamId);
        if (known !== undefined) known.isDone = failure === undefined;
      }
      // The last word is a whole one.
      shown.clear();
      await this.record();
      await kernel.db(tenant).transaction(async (tx) => {
        for (const { streamId, failure } of results) {
          const row = await tx.findOne(StreamRunEntity, { runId, streamId });
          if (row === undefined) continue;
          await tx.update(row, { status: statusOf(failure), failure: failure ? recordOf(failure) : null });
        }
      });
    },
  };
}

export type SyncLedger = ReturnType<typeof syncLedger>;

/** The failure that decides on the run: the first that a stream has of its own. */
export function decidingFailure(results: readonly StreamResult[]): Failure | undefined {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return failures.find(({ code }) => code !== 'other_stream_failed') ?? failures[0];
}

interface Draft {
  batch: CommitBatch<Sync>;
  known: Standing;
  figures: Figures;
  commits: readonly TableCommit[];
  stateSha256: string;
  checkpoint: CheckpointWrite;
}

/** What one stream brings to a commit: changes of its tables, and its checkpoint. */
function draftOf(
  batch: CommitBatch<Sync>,
  { known, ...prepared }: { known: Standing; prepared: PreparedTable; quarantine: PreparedTable | undefined },
  { leaseEpoch }: Attempt,
): Draft {
  const { stream } = known;
  const state = batch.batch.state ?? stream.engine.state;
  // Asked for until it does: to compare states takes long where they are large.
  const hasGotOn = known.figures.progressAttempt === leaseEpoch || getsOn(batch, stream.engine.state);
  const notes = coveredNotes(known, batch.batch.state);
  const figures = { ...withBatch(known.figures, batch, hasGotOn ? leaseEpoch : undefined), notes };
  const stateSha256 = sha256(state ?? '');
  const facts = { stream, ...prepared, stateSha256, follows: known.follows, attempt: leaseEpoch };
  const commits = tableCommits(batch, facts);
  const overwrote = batch.replaces && stream.row.syncMode === 'full_refresh' ? 1 : 0;
  const counters = { ...countersOf(figures), overwrote, whole: batch.isWhole ? 1 : 0 };
  const checkpoint = { key: stream.checkpointKey, state: state ?? null, counters };
  return { batch, known, figures, commits, stateSha256, checkpoint };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Takes a commit that stands into the books of its stream; tells what has come of it. */
function settled(
  { batch, known, figures, stateSha256, commits: [rows, quarantine] }: Draft,
  { schema }: PreparedTable,
  { runId, snapshotOf }: { runId: string; snapshotOf: ReadonlyMap<TableCommit | undefined, string | undefined> },
): CommittedRows {
  const snapshotId = snapshotOf.get(rows);
  // Older ones can be asked for no more.
  for (const state of known.covered.keys()) {
    if (state !== '') known.covered.delete(state);
    if (state === batch.batch.state) break;
  }
  const id = `${runId}:${batch.stream}:${batch.number}`;
  Object.assign(known, {
    figures: snapshotId === undefined ? figures : { ...figures, snapshotIds: [...figures.snapshotIds, snapshotId] },
    follows: known.follows && {
      rows: snapshotId === undefined ? known.follows.rows : id,
      quarantine: snapshotOf.get(quarantine) === undefined ? known.follows.quarantine : id,
    },
    stateSha256,
    schemaId: (schema as { 'schema-id': number })['schema-id'],
    committedAt: new Date(),
  });
  const count = batch.batch.parts.reduce((sum, part) => sum + part.rows, 0);
  const { deduplicated = 0, deleted = 0 } = batch.merged ?? {};
  const replacedFiles = batch.batch.replacedFiles.length;
  return { rows: count, rejected: batch.batch.rejected, deduplicated, deleted, replacedFiles, snapshotId };
}

/** The changes of all tables; one that stays as it is takes no part where several streams are committed together. */
function commitsOf(drafts: readonly Draft[]): TableCommit[] {
  const commits = drafts.flatMap((draft) => draft.commits);
  return drafts.length === 1 ? commits : commits.filter(changesIt);
}

const changesIt = ({ mode, files, schema, create }: TableCommit): boolean =>
  mode !== 'append' || files.length > 0 || schema !== undefined || create !== undefined;

function statusOf(failure: Failure | undefined): 'succeeded' | 'failed' | 'cancelled' {
  if (failure === undefined) return 'succeeded';
  return failure.code === 'connector_stopped' ? 'cancelled' : 'failed';
}
