import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrive, type Content, type Reader } from './arrive.ts';
import { isOwnDialect, openingOf, signs, standardQuotes, withHeader } from './csv/standard-csv.ts';
import { decodeText } from './decode-text.ts';
import { evenBreaks, rowBreaks } from './even-breaks.ts';
import { fault } from './fault.ts';
import type { FileEntry } from './file-state.ts';
import { hasNarrowLines, hasRowsInLines, holdStill, type Still } from './hold-still.ts';
import { changeOf } from './list-folder.ts';
import { bytesOf, lookThrough } from './look-through.ts';
import { headOf, lastRowEnd, nextRow } from './row-end.ts';
import { saveBytes } from './save-bytes.ts';
import type { Delimiter, Encoding, FileFormat, SourceFile } from './source-file.ts';
import { withHandle } from './with-handle.ts';

/** A file as it is read: here, unpacked, UTF-8 if it is text, and with line breaks of one kind if it is CSV. */
export type ReadyFile = {
  readonly path: string;
  readonly format: FileFormat;
  readonly delimiter: Delimiter | undefined;
  /** How the text of the file itself is written; absent where it is none. */
  readonly encoding?: Encoding;
  /** Whether every row of a CSV file ends with LF; else with whatever one line break the file has. */
  readonly isEven: boolean;
  /** Whether it is read as Windows-1252 because it is no UTF-8, not because that was declared. */
  readonly isGuessed?: boolean;
  /** Whether it is only what was added at the end of the file. */
  readonly isRest: boolean;
  /** Whether lines of it are no UTF-8. */
  readonly isDamaged?: boolean;
  /** The part of the file that is read, as positions are counted in it. */
  readonly text: FileText;
  /** Says that what begins at a byte of the text may not be whole yet: the next read begins there. */
  readonly holdBack: (byte: number) => void;
  /** The words for a place in the file, from the number of a line of what is at `path`. */
  readonly where: (line?: number) => string;
};

/** Text of a file from a byte on, with the line breaks that the file has; a CSV header is at its beginning, wherever it is read from. */
export type FileText = {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Whether bytes are counted as in the file's own content, which is UTF-8 then. */
  readonly isExact: boolean;
  /** How many lines of the file stand above the text. */
  readonly linesAbove?: number;
};

/** What came of a file: the state's entry for it, and what `use` gave, if there was anything new to read. */
export type FileOutcome<T> = {
  readonly entry: FileEntry;
  readonly result: T | undefined;
  /** Whether the file, in lines, has nothing and may have had rows. */
  readonly isEmptied?: boolean;
};

/**
 * Makes a file ready and lets `use` read it, then removes what it made. What is known already is not read again: not at
 * all when nothing changed, and for files in lines not the rows before those that were added at the end. A file in lines
 * that has no row yet, nor a header, is not read either.
 */
export async function withReadyFile<T>(
  file: SourceFile,
  reader: Reader,
  use: (ready: ReadyFile) => Promise<T>,
): Promise<FileOutcome<T>> {
  const temp = await mkdtemp(join(tmpdir(), 'file-'));
  try {
    const content = await arrive(file, reader, temp);
    if (content === undefined) return { entry: reader.known ?? { size: 0 }, result: undefined };
    const isDirect = file.format === 'parquet' && content.place !== undefined;
    if (isDirect) return { entry: content.facts, result: await direct(file, content, use) };
    const { known } = reader;
    const still = await holdStill(file, content, temp, known?.bytes);
    const entry = { ...content.facts, bytes: still.to, sha256: still.sha256 };
    const keepsKnown = known?.bytes !== undefined && still.look.sha256AtMark === known.sha256;
    if (keepsKnown && known.bytes === still.to) return { entry, result: undefined };
    if (still.to === 0 && hasRowsInLines(file)) return { entry, result: undefined, isEmptied: true };
    if (keepsKnown && known.whole_sha256 === still.sha256)
      return { entry: { ...known, ...content.facts }, result: undefined };
    const from = keepsKnown ? await resumeAt(file, still, known.bytes ?? 0) : 0;
    const end: HeldBack = { byte: undefined };
    const ready = { ...(await readyAt(file, still, { from, size: content.size, temp })), holdBack: holding(end) };
    const result = still.ours ? await use(ready) : await direct(file, content, () => use(ready));
    const held = end.byte === undefined ? {} : await heldEntry(file, still, { ready, byte: end.byte });
    return { entry: { ...entry, ...held }, result };
  } catch (error) {
    reader.signal.throwIfAborted();
    throw error;
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

type HeldBack = { byte: number | undefined };

const holding = (end: HeldBack) => (byte: number) => {
  end.byte = byte;
};

/** The entry of a file up to the line that is held back. What was seen of that line is not read again as it is. */
async function heldEntry(
  file: SourceFile,
  still: Still,
  { ready: { text }, byte }: { readonly ready: ReadyFile; readonly byte: number },
): Promise<Partial<FileEntry>> {
  if (!hasRowsInLines(file) || !hasNarrowLines(file.encoding ?? still.look.encoding)) return {};
  return withHandle(still.path, file.name, async (handle) => {
    const bytes = text.isExact
      ? byte
      : await lastRowEnd(handle, still.to, file.format === 'csv' ? signs(file) : undefined);
    const { sha256AtMark: sha256 } = await lookThrough(handle, still.to, bytes);
    return sha256 === undefined ? {} : { bytes, sha256, whole_sha256: still.sha256 };
  });
}

/** Reads a file that others may write to: what was read of one that changed meanwhile is `file_changed`. */
async function direct<T>(
  file: SourceFile,
  { path, place }: Content,
  use: (ready: ReadyFile) => Promise<T>,
): Promise<T> {
  const isSame = async () => place === undefined || (await changeOf(place)) === 'same';
  let failure: unknown;
  let result: T | undefined;
  try {
    result = await use({
      path,
      format: file.format,
      delimiter: file.delimiter,
      isEven: false,
      isRest: false,
      text: { path, from: 0, to: 0, isExact: true },
      holdBack: () => undefined,
      where: whereIn(file.name, 0, 0),
    });
  } catch (error) {
    failure = error;
  }
  // Half a file looks damaged: that it is being written says more than what is wrong with it.
  if (!(await isSame())) throw fault('file_changed', file.name);
  if (failure !== undefined) throw failure;
  return result as T;
}

/** Where reading goes on: behind the known rows, if the last of them is still what it was; at the start otherwise. */
async function resumeAt(file: SourceFile, { path, look }: Still, known: number): Promise<number> {
  if (!hasRowsInLines(file) || !hasNarrowLines(file.encoding ?? look.encoding)) return 0;
  return (await withHandle(path, file.name, (handle) => nextRow(handle, known))) ?? 0;
}

type Part = { readonly from: number; readonly size: number; readonly temp: string };

/** The file itself when all of it is read and it is as it must be; else a copy of the part that is read, behind its header. */
async function readyAt(
  file: SourceFile,
  still: Still,
  { from, size, temp }: Part,
): Promise<Omit<ReadyFile, 'holdBack'>> {
  const { name, format, delimiter } = file;
  const { encoding, isDamaged } =
    format === 'parquet' ? ({ encoding: 'utf-8', isDamaged: false } as const) : encodingOf(file, still);
  const isWhole = from === 0 && still.to === size;
  const isUtf8 = encoding === 'utf-8';
  const isOwn = format === 'csv' && isOwnDialect(file);
  const breaks = isWhole && isUtf8 && !isOwn ? await breaksOf(file, still) : 'mixed';
  const text = { path: still.path, from, to: still.to, isExact: true };
  const written = format === 'parquet' ? {} : { encoding };
  const facts = { format, delimiter, ...written, isDamaged, isRest: from > 0, text };
  if (isUtf8 && format !== 'csv') return { ...facts, path: still.path, isEven: false, where: whereIn(name, 0, 0) };
  if (breaks !== 'mixed') return { ...facts, path: still.path, isEven: breaks === 'lf', where: whereIn(name, 0, 0) };
  const path = join(temp, 'ready');
  const above = { lines: file.header === false ? -1 : 0 };
  const { headerLines, bytes } = await withHandle(still.path, name, async (handle) => {
    const opening = from > 0 && format === 'csv' ? await openingOf(await headOf(handle), file) : undefined;
    const parts = async function* () {
      yield* bytesOf(handle, 0, opening?.bytes ?? 0);
      yield* bytesOf(handle, from, still.to);
    };
    const decoded = decodeText(parts(), encoding, name);
    const saved = await saveBytes(
      path,
      format === 'csv' ? csvText(decoded, file, { first: opening?.first, above }) : decoded,
      name,
    );
    // As DuckDB counts, a row is one line.
    return { headerLines: opening === undefined ? 0 : 1, bytes: saved };
  });
  const isGuessed = file.encoding === undefined && encoding === 'windows-1252';
  const linesAbove = isOwn && from === 0 ? above.lines : 0;
  const own = isUtf8 && !isOwn ? text : { path, from: 0, to: bytes, isExact: false, linesAbove };
  return { ...facts, path, text: own, isEven: true, isGuessed, where: whereIn(name, from, headerLines - linesAbove) };
}

/** A CSV text as all are read: in the quotes of RFC 4180, with LF behind each row and a header line in front. */
function csvText(
  decoded: AsyncIterable<Buffer>,
  file: SourceFile,
  { first, above }: { readonly first: string | undefined; readonly above: { lines: number } },
): AsyncIterable<Buffer> {
  if (!isOwnDialect(file)) return evenBreaks(decoded, file.delimiter);
  const onAbove = (lines: number) => {
    above.lines += lines;
  };
  const even = evenBreaks(standardQuotes(decoded, file, onAbove), file.delimiter);
  return file.header === false ? withHeader(even, file.delimiter, first) : even;
}

/** Where no byte is a carriage return, DuckDB sees for itself that rows end with LF. */
async function breaksOf(
  { name, format, delimiter }: SourceFile,
  { path, to, look }: Still,
): ReturnType<typeof rowBreaks> {
  if (format !== 'csv' || !look.hasReturn) return 'other';
  return withHandle(path, name, (handle) => rowBreaks(bytesOf(handle, 0, to), delimiter));
}

/** The encoding that is declared or seen. Lines of declared UTF-8 that are none are damaged; a file that is no text is `encoding_invalid`. */
function encodingOf(
  { name, encoding }: SourceFile,
  { look }: Still,
): { readonly encoding: Encoding; readonly isDamaged: boolean } {
  if (encoding !== undefined && encoding !== 'utf-8') return { encoding, isDamaged: false };
  if (look.encoding === undefined) throw fault('encoding_invalid', name);
  if (encoding === undefined) return { encoding: look.encoding, isDamaged: look.isDamaged };
  return { encoding, isDamaged: look.encoding !== 'utf-8' || look.isDamaged };
}

function whereIn(name: string, from: number, headerLines: number): ReadyFile['where'] {
  return (line) => {
    if (line === undefined) return name;
    const own = line - headerLines;
    return from === 0 ? `${name}, line ${own}` : `${name}, line ${own} after byte ${from}`;
  };
}
