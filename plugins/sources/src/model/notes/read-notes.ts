import type { LeftOutView } from '../../contract.ts';

/** How many notes of a stream are kept with their words; counts are of all. */
export const MAX_LEFT_OUT = 100;
const MAX_FILE_CHARS = 1_000;
const MAX_MESSAGE_CHARS = 600;
const MAX_CODE_CHARS = 64;

/** What the read of a stream did with files, and what it left out. */
export interface ReadNotes {
  readonly filesRead: number;
  readonly filesUnchanged: number;
  readonly filesLeftOut: number;
  readonly filesGone: number;
  readonly rowsLeftOut: number;
  readonly leftOut: readonly LeftOutView[];
}

export const NO_NOTES: ReadNotes = {
  filesRead: 0,
  filesUnchanged: 0,
  filesLeftOut: 0,
  filesGone: 0,
  rowsLeftOut: 0,
  leftOut: [],
};

/** A note as a connector says it. */
export interface SaidNote {
  readonly kind: string;
  readonly count: number;
  readonly file?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

const COUNTS: ReadonlyMap<string, Exclude<keyof ReadNotes, 'leftOut'>> = new Map([
  ['file_read', 'filesRead'],
  ['file_unchanged', 'filesUnchanged'],
  ['file_left_out', 'filesLeftOut'],
  ['file_gone', 'filesGone'],
  ['rows_left_out', 'rowsLeftOut'],
] as const);
const IN_WORDS: ReadonlySet<string> = new Set(['file_left_out', 'file_gone', 'rows_left_out']);

/** The notes with one more; one of a kind that is not known changes nothing. `mask` takes credentials out of its words. */
export function withNote(notes: ReadNotes, note: SaidNote, mask: (text: string) => string): ReadNotes {
  const member = COUNTS.get(note.kind);
  if (member === undefined || note.count === 0) return notes;
  const counted = { ...notes, [member]: Math.min(Number.MAX_SAFE_INTEGER, notes[member] + note.count) };
  if (!IN_WORDS.has(note.kind) || notes.leftOut.length >= MAX_LEFT_OUT) return counted;
  const text = (value: unknown, chars: number) =>
    typeof value === 'string' ? mask(value).slice(0, chars).toWellFormed().replaceAll('\u0000', '\ufffd') : null;
  const words = {
    file: text(note.file, MAX_FILE_CHARS),
    code: text(note.code, MAX_CODE_CHARS),
    message: text(note.message, MAX_MESSAGE_CHARS),
  };
  const kind = note.kind as LeftOutView['kind'];
  return { ...counted, leftOut: [...notes.leftOut, { kind, count: note.count, ...words }] };
}

/**
 * What a run notes, from what its earlier attempts have committed and what the newest one has noted. An attempt looks at all
 * files again: those that an earlier one has read are unchanged to it, and what is left out it says anew.
 */
export function joinedNotes(earlier: ReadNotes, now: ReadNotes | undefined): ReadNotes {
  if (now === undefined) return earlier;
  const gone = earlier.leftOut.filter(({ kind }) => kind === 'file_gone');
  return {
    ...now,
    filesRead: earlier.filesRead + now.filesRead,
    filesGone: earlier.filesGone + now.filesGone,
    filesUnchanged: Math.max(0, now.filesUnchanged - earlier.filesRead),
    leftOut: [...gone, ...now.leftOut].slice(0, MAX_LEFT_OUT),
  };
}

/** Whether everything that the read met is in the table. */
export function leavesNothingOut(notes: Pick<ReadNotes, 'filesLeftOut' | 'filesGone' | 'rowsLeftOut'>): boolean {
  return notes.filesLeftOut === 0 && notes.filesGone === 0 && notes.rowsLeftOut === 0;
}
