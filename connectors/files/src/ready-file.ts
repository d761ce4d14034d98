import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrive, type Content, type Reader } from './arrive.ts';
import { decodeText } from './decode-text.ts';
import { evenBreaks, rowBreaks } from './even-breaks.ts';
import { fault } from './fault.ts';
import type { FileEntry } from './file-state.ts';
import { hasNarrowLines, hasRowsInLines, holdStill, type Still } from './hold-still.ts';
import { changeOf } from './list-folder.ts';
import { bytesOf } from './look-through.ts';
import { headerOf, nextRow } from './row-end.ts';
import { saveBytes } from './save-bytes.ts';
import type { Delimiter, Encoding, FileFormat, SourceFile } from './source-file.ts';
import { withHandle } from './with-handle.ts';

/** A file as it is read: here, unpacked, UTF-8 if it is text, and with line breaks of one kind if it is CSV. */
export type ReadyFile = {
  readonly path: string;
  readonly format: FileFormat;
  readonly delimiter: Delimiter | undefined;
  /** Whether every row of a CSV file ends with LF; else with whatever one line break the file has. */
  readonly isEven: boolean;
  /** Whether it is read as Windows-1252 because it is no UTF-8, not because that was declared. */
  readonly isGuessed?: boolean;
  /** The words for a place in the file, from the number of a line of what is at `path`. */
  readonly where: (line?: number) => string;
};

/** What came of a file: the state's entry for it, and what `use` gave, if there was anything new to read. */
export type FileOutcome<T> = { readonly entry: FileEntry; readonly result: T | undefined };

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
    if (still.to === 0 && hasRowsInLines(file)) return { entry: withoutRows(entry, known), result: undefined };
    const from = keepsKnown ? await resumeAt(file, still, known.bytes ?? 0) : 0;
    const ready = await readyAt(file, still, { from, size: content.size, temp });
    return { entry, result: still.ours ? await use(ready) : await direct(file, content, () => use(ready)) };
  } catch (error) {
    reader.signal.throwIfAborted();
    throw error;
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

/** The entry of a file without a row. Rows that it had are still known: should they be there again, they are not new. */
function withoutRows(entry: FileEntry, known: FileEntry | undefined): FileEntry {
  if (known?.bytes === undefined || known.sha256 === undefined) return entry;
  return { ...entry, bytes: known.bytes, sha256: known.sha256 };
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
async function readyAt(file: SourceFile, still: Still, { from, size, temp }: Part): Promise<ReadyFile> {
  const { name, format, delimiter } = file;
  const encoding = format === 'parquet' ? undefined : encodingOf(file, still);
  const isWhole = from === 0 && still.to === size;
  const isUtf8 = encoding === undefined || encoding === 'utf-8';
  const breaks = isWhole && isUtf8 ? await breaksOf(file, still) : 'mixed';
  if (breaks !== 'mixed') {
    return { path: still.path, format, delimiter, isEven: breaks === 'lf', where: whereIn(name, 0, 0) };
  }
  const path = join(temp, 'ready');
  const headerLines = await withHandle(still.path, name, async (handle) => {
    const header = from > 0 && format === 'csv' ? await headerOf(handle) : { line: '', bytes: 0 };
    const parts = async function* () {
      yield* bytesOf(handle, 0, header.bytes);
      yield* bytesOf(handle, from, still.to);
    };
    const text = decodeText(parts(), encoding ?? 'utf-8', name);
    await saveBytes(path, format === 'csv' ? evenBreaks(text, delimiter) : text, name);
    // As DuckDB counts, a row is one line.
    return header.bytes === 0 ? 0 : 1;
  });
  const isGuessed = file.encoding === undefined && encoding === 'windows-1252';
  return { path, format, delimiter, isEven: true, isGuessed, where: whereIn(name, from, headerLines) };
}

/** Where no byte is a carriage return, DuckDB sees for itself that rows end with LF. */
async function breaksOf(
  { name, format, delimiter }: SourceFile,
  { path, to, look }: Still,
): ReturnType<typeof rowBreaks> {
  if (format !== 'csv' || !look.hasReturn) return 'other';
  return withHandle(path, name, (handle) => rowBreaks(bytesOf(handle, 0, to), delimiter));
}

function encodingOf({ name, encoding }: SourceFile, { look }: Still): Encoding {
  if (encoding !== undefined && (encoding !== 'utf-8' || look.encoding === 'utf-8')) return encoding;
  if (encoding !== undefined || look.encoding === undefined) throw fault('encoding_invalid', name);
  return look.encoding;
}

function whereIn(name: string, from: number, headerLines: number): ReadyFile['where'] {
  return (line) => {
    if (line === undefined) return name;
    return from === 0 ? `${name}, line ${line}` : `${name}, line ${line - headerLines} after byte ${from}`;
  };
}
