import { placeIn } from '@weir/connector-runtime';
import type { CommitBatch } from '@weir/engine';
import { canonicalJson } from '@weir/kernel';
import type { Checkpoint, CheckpointCounters } from '@weir/plugin-datasets/contract';
import { addChecksums, NO_ROWS_CHECKSUM } from '@weir/plugin-datasets/stage';
import type { FieldNoteView, LeftOutView } from '../../contract.ts';
import type { ReadNotes } from '../notes/read-notes.ts';
import type { StagedPart, Sync } from '../process/sync-types.ts';

/** What a run has done for a stream, over all of its attempts. */
export interface Figures {
  readonly batch: number;
  readonly rowsWritten: number;
  readonly rowsWithErrors: number;
  readonly rowsWithExtra: number;
  readonly rowsRejected: number;
  /**
   * Rows dropped by merge because a later row in the same commit had the same key; undefined when a release that did not
   * count them made some of the commits.
   */
  readonly rowsDeduplicated: number | undefined;
  readonly bytes: number;
  /** Rows of before that went with the files that were replaced; with soft deletes, that were marked. */
  readonly rowsReplaced: number;
  /** What the read has noted of what is committed. */
  readonly notes: ReadNotes;
  /** Rows of the run that are in the table. */
  readonly rowsInTable: number;
  /** Their checksum; undefined once rows were merged, as those that they replaced are not known one by one. */
  readonly checksum: string | undefined;
  readonly snapshotIds: readonly string[];
  readonly fields: readonly FieldNoteView[];
  /** The last attempt that made progress on the stream; 0 before the first. */
  readonly progressAttempt: number;
}

/** The figures that a run goes on from: those that it has stored with the rows itself, none of another run's. */
export function figuresOf(checkpoint: Checkpoint | undefined, runId: string): Figures {
  const counters: CheckpointCounters = checkpoint?.runId === runId ? checkpoint.counters : {};
  const count = (name: string): number => Number(counters[name] ?? 0);
  const ids = counters.snapshot_ids;
  return {
    batch: count('batch'),
    rowsWritten: count('rows_written'),
    rowsWithErrors: count('rows_with_errors'),
    rowsWithExtra: count('rows_with_extra'),
    rowsRejected: count('rows_rejected'),
    rowsDeduplicated: counters.batch === undefined ? 0 : numberOf(counters.rows_deduplicated),
    bytes: count('bytes'),
    notes: notesFrom(counters),
    rowsReplaced: count('rows_replaced'),
    rowsInTable: count('rows_in_table'),
    checksum: counters.batch === undefined ? NO_ROWS_CHECKSUM : textOf(counters.checksum),
    snapshotIds: Array.isArray(ids) ? ids : [],
    fields: typeof counters.fields === 'string' ? (JSON.parse(counters.fields) as FieldNoteView[]) : [],
    progressAttempt: count('progress_attempt'),
  };
}

/** Figures as they are stored with the rows. */
export function countersOf(figures: Figures): CheckpointCounters {
  return {
    batch: figures.batch,
    rows_written: figures.rowsWritten,
    rows_with_errors: figures.rowsWithErrors,
    rows_with_extra: figures.rowsWithExtra,
    rows_rejected: figures.rowsRejected,
    ...(figures.rowsDeduplicated === undefined ? {} : { rows_deduplicated: figures.rowsDeduplicated }),
    bytes: figures.bytes,
    ...noteCounters(figures.notes),
    rows_replaced: figures.rowsReplaced,
    rows_in_table: figures.rowsInTable,
    ...(figures.checksum === undefined ? {} : { checksum: figures.checksum }),
    snapshot_ids: figures.snapshotIds,
    fields: JSON.stringify(figures.fields),
    progress_attempt: figures.progressAttempt,
  };
}

function notesFrom(counters: CheckpointCounters): ReadNotes {
  const count = (name: string): number => Number(counters[name] ?? 0);
  return {
    filesRead: count('files_read'),
    filesUnchanged: count('files_unchanged'),
    filesLeftOut: count('files_left_out'),
    filesGone: count('files_gone'),
    rowsLeftOut: count('rows_left_out'),
    leftOut: typeof counters.left_out === 'string' ? (JSON.parse(counters.left_out) as LeftOutView[]) : [],
  };
}

function noteCounters(notes: ReadNotes): CheckpointCounters {
  return {
    files_read: notes.filesRead,
    files_unchanged: notes.filesUnchanged,
    files_left_out: notes.filesLeftOut,
    files_gone: notes.filesGone,
    rows_left_out: notes.rowsLeftOut,
    ...(notes.leftOut.length === 0 ? {} : { left_out: JSON.stringify(notes.leftOut) }),
  };
}

/**
 * Whether a commit brings its stream forward from the state at which its attempt began: it is whole with it, or has rows and a
 * state of another place. Rows alone may be those that every attempt reads again, a place alone but another time of day. Pure.
 */
export function getsOn(
  { batch, isWhole }: Pick<CommitBatch<Sync>, 'batch' | 'isWhole'>,
  begunAt: string | undefined,
): boolean {
  const hasLines = batch.rejected > 0 || batch.parts.some(({ rows }) => rows > 0);
  const isElsewhere = (state: string) =>
    begunAt === undefined || (state !== begunAt && placeText(state) !== placeText(begunAt));
  return isWhole || (hasLines && batch.state !== undefined && isElsewhere(batch.state));
}

/** A place as a text that is the same in whatever order its connector tells the members. */
function placeText(state: string): string {
  return canonicalJson(placeIn(state));
}

/** The figures with one commit more, which the attempt of that number got on by; of none when undefined. */
export function withBatch(
  figures: Figures,
  { number, batch, merged, replaces }: CommitBatch<Sync>,
  progressAttempt: number | undefined,
): Figures {
  const sum = (of: (part: StagedPart) => number): number => batch.parts.reduce((total, part) => total + of(part), 0);
  const rows = sum((part) => part.rows);
  const { rowsDeduplicated } = figures;
  const there = replaces ? 0 : figures.rowsInTable - (merged?.replacedOfRun ?? 0);
  return {
    ...figures,
    batch: number,
    rowsWritten: figures.rowsWritten + rows,
    rowsWithErrors: figures.rowsWithErrors + sum((part) => part.rowsWithErrors),
    rowsWithExtra: figures.rowsWithExtra + sum((part) => part.rowsWithExtra),
    rowsRejected: figures.rowsRejected + batch.rejected,
    rowsDeduplicated: rowsDeduplicated === undefined ? undefined : rowsDeduplicated + (merged?.deduplicated ?? 0),
    bytes: figures.bytes + sum((part) => part.bytes),
    rowsReplaced: figures.rowsReplaced + (batch.replacedFiles.length > 0 ? (merged?.deleted ?? 0) : 0),
    rowsInTable: there + (merged === undefined ? rows : merged.inserted + merged.updated),
    checksum: isSummed(merged) ? sumOf(replaces ? NO_ROWS_CHECKSUM : figures.checksum, batch.parts) : undefined,
    fields: withFields(figures.fields, batch.parts.flatMap(capturedIn)),
    progressAttempt: progressAttempt ?? figures.progressAttempt,
  };
}

/** Whether the checksum of a run grows by those of the parts: no row of the run has gone, and all of the batch are there. */
function isSummed(merged: CommitBatch<Sync>['merged']): boolean {
  return merged === undefined || (merged.keepsBatch && merged.replacedOfRun === 0);
}

function sumOf(checksum: string | undefined, parts: readonly StagedPart[]): string | undefined {
  return parts.reduce<string | undefined>(
    (sum, part) => (sum === undefined ? undefined : addChecksums(sum, part.checksum)),
    checksum,
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The notes with more of them; each field is noted once for what became of it. */
export function withFields(fields: readonly FieldNoteView[], more: readonly FieldNoteView[]): readonly FieldNoteView[] {
  const known = new Set(fields.map(({ field, change }) => `${change} ${field}`));
  const fresh = more.filter(({ field, change }) => known.size < known.add(`${change} ${field}`).size);
  return fresh.length === 0 ? fields : [...fields, ...fresh];
}

function capturedIn({ captured }: StagedPart): FieldNoteView[] {
  return captured.map(({ name, type }) => ({ field: name, change: 'captured' as const, type: typeName(type) }));
}

/** A type in the table's words; what is nested, as its JSON. */
export function typeName(type: unknown): string {
  return typeof type === 'string' ? type : JSON.stringify(type);
}
