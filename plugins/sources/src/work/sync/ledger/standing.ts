import type { Tenant } from '@weir/kernel';
import { MAX_LISTED_SNAPSHOTS, type ResumePoint, type TablesService } from '@weir/plugin-datasets/contract';
import { joinedNotes, type ReadNotes } from '../../../model/notes/read-notes.ts';
import type { Progress } from '../../../model/process/messages.ts';
import type { Figures } from '../../../model/sync/sync-figures.ts';
import type { PlannedStream } from '../plan/plan-sync.ts';

/** What a stream of this run stands at: kept in its checkpoint with the rows, mirrored in the run's rows for readers. */
export interface Standing {
  stream: PlannedStream;
  figures: Figures;
  /** Ids of the newest commits; set for REST catalogs only. */
  follows: ResumePoint['follows'];
  stateSha256: string | undefined;
  schemaId: number | undefined;
  committedAt: Date | undefined;
  /** What earlier attempts of this run have committed. */
  earlier: Progress;
  /** What this attempt has read. */
  read: Progress;
  /** What earlier attempts of this run have noted of what they committed. */
  earlierNotes: ReadNotes;
  /** What this attempt has noted. */
  noted: ReadNotes | undefined;
  /** What it had noted when a state was sealed, by the state; empty for an end without one. */
  covered: Map<string, ReadNotes>;
  /** All of the stream is committed, so that everything that was noted counts. */
  isDone: boolean;
}

export type Standings = ReadonlyMap<string, Standing>;

/** Where a stream stands before this attempt has read or committed anything of it. */
export function standingOf(stream: PlannedStream): Standing {
  const { figures, resume } = stream;
  return {
    stream,
    figures,
    follows: resume.follows,
    stateSha256: undefined,
    schemaId: undefined,
    committedAt: undefined,
    earlier: {
      rows: figures.rowsWritten + figures.rowsRejected,
      bytes: figures.bytes,
    },
    read: { rows: 0, bytes: 0 },
    earlierNotes: figures.notes,
    noted: undefined,
    covered: new Map(),
    isDone: false,
  };
}

/** Finds the snapshots that earlier attempts of the run have made; the last one may be known to the table alone. */
export async function recallSnapshots(
  tables: TablesService,
  { tenant, runId }: { tenant: Tenant; runId: string },
  known: Standing,
): Promise<void> {
  const listed = await tables.snapshots(tenant, known.stream.ref, { limit: MAX_LISTED_SNAPSHOTS });
  const ours = listed.filter((snapshot) => snapshot.runId === runId).map(({ snapshotId }) => snapshotId);
  const { snapshotIds } = known.figures;
  const missing = ours.filter((snapshotId) => !snapshotIds.includes(snapshotId)).reverse();
  known.figures = { ...known.figures, snapshotIds: [...snapshotIds, ...missing] };
}

/** What an earlier attempt has read counts as far as it was committed. */
export function readOf({ earlier, read }: Standing): Progress {
  return { rows: earlier.rows + read.rows, bytes: earlier.bytes + read.bytes };
}

/** What the run notes of a stream as far as it is committed; what was left out counts at once. */
export function notesOf({ earlierNotes, noted, figures, isDone }: Standing): ReadNotes {
  const all = joinedNotes(earlierNotes, noted);
  return isDone ? all : { ...all, filesRead: figures.notes.filesRead, filesGone: figures.notes.filesGone };
}

/** What a commit up to this state covers of what was noted. */
export function coveredNotes({ earlierNotes, covered, figures }: Standing, state: string | undefined): ReadNotes {
  const notes = covered.get(state ?? '');
  return notes === undefined ? figures.notes : joinedNotes(earlierNotes, notes);
}

/** Rows and bytes of all streams together. */
export interface Totals {
  rowsRead: number;
  rowsWritten: number;
  rowsWithErrors: number;
  rowsWithExtra: number;
  rowsRejected: number;
  /** Null when it is not known of one of them. */
  rowsDeduplicated: number | null;
  bytesRead: number;
  filesRead: number;
  filesUnchanged: number;
  filesLeftOut: number;
  filesGone: number;
  rowsLeftOut: number;
}

/** Adds the streams of a run up. */
export function totalsOf(standings: Standings): Totals {
  const all = [...standings.values()];
  const sum = (of: (known: Standing) => number) => all.reduce((total, known) => total + of(known), 0);
  const isDeduplicatedKnown = all.every(({ figures }) => figures.rowsDeduplicated !== undefined);
  return {
    rowsRead: sum((known) => readOf(known).rows),
    rowsWritten: sum(({ figures }) => figures.rowsWritten),
    rowsWithErrors: sum(({ figures }) => figures.rowsWithErrors),
    rowsWithExtra: sum(({ figures }) => figures.rowsWithExtra),
    rowsRejected: sum(({ figures }) => figures.rowsRejected),
    rowsDeduplicated: isDeduplicatedKnown ? sum(({ figures }) => figures.rowsDeduplicated ?? 0) : null,
    bytesRead: sum((known) => readOf(known).bytes),
    filesRead: sum((known) => notesOf(known).filesRead),
    filesUnchanged: sum((known) => notesOf(known).filesUnchanged),
    filesLeftOut: sum((known) => notesOf(known).filesLeftOut),
    filesGone: sum((known) => notesOf(known).filesGone),
    rowsLeftOut: sum((known) => notesOf(known).rowsLeftOut),
  };
}
