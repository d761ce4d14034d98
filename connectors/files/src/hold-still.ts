import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Content } from './arrive.ts';
import { signs } from './csv/standard-csv.ts';
import { fault } from './fault.ts';
import { changeOf } from './list-folder.ts';
import { bytesOf, type Look, lookThrough } from './look-through.ts';
import { endsRow, lastRowEnd } from './row-end.ts';
import { saveBytes } from './save-bytes.ts';
import type { Encoding, LocalPlace, SourceFile } from './source-file.ts';
import { withHandle } from './with-handle.ts';

/** Files up to this size are read from a copy, so that it does not matter what becomes of them meanwhile. */
const SNAPSHOT_BYTES = 16 * 1024 * 1024;
/** How long ago a file that ends in mid-line must have been written to, to take that for its end. */
const SETTLED_MS = 1000;

/** Content that can be read as of one moment: its first `to` bytes. */
export type Still = {
  readonly path: string;
  readonly to: number;
  readonly look: Look;
  /** The hash of what is read. */
  readonly sha256: string;
  /** Whether nobody can write to it; else it must be seen afterwards whether it is still the same. */
  readonly ours: boolean;
};

/** Whether rows of a format stand in lines, so that what is added at the end leaves the rows before it whole. */
export const hasRowsInLines = ({ format }: SourceFile): boolean => format === 'csv' || format === 'jsonl';
/** Whether a line break is one byte and nothing else ever has that byte. */
export const hasNarrowLines = (encoding: Encoding | undefined): boolean => !encoding?.startsWith('utf-16');

/**
 * Looks a file through and sees to it that one state of it is read. A file in lines that grows meanwhile is read up to
 * its last whole row below the size that it was listed with, from a copy; any other change is `file_changed`.
 * `mark` is where the look takes a second hash.
 */
export async function holdStill(file: SourceFile, content: Content, temp: string, mark?: number): Promise<Still> {
  const { place, size } = content;
  if (place === undefined) {
    const look = await looked(file, content.path, size, mark);
    return { path: content.path, to: size, look, sha256: look.sha256, ours: true };
  }
  const small = size <= SNAPSHOT_BYTES;
  const path = small ? await copied(file, place, temp) : content.path;
  const look = await looked(file, path, size, mark);
  const inLines = hasRowsInLines(file) && hasNarrowLines(file.encoding ?? look.encoding);
  switch (await changeOnceSettled(file, place, inLines)) {
    case 'same':
      return { path, to: size, look, sha256: look.sha256, ours: small };
    case 'grown':
      if (!inLines) throw fault('file_changed', file.name);
      return grown(file, place, look, small ? path : await copied(file, place, temp));
    default:
      throw fault('file_changed', file.name);
  }
}

/** Takes a copy for the file's beginning only if the file, read once more, still begins with it. */
async function grown(file: SourceFile, place: LocalPlace, look: Look, copy: string): Promise<Still> {
  const { size } = place;
  const to = await withHandle(copy, file.name, (handle) =>
    lastRowEnd(handle, size, file.format === 'csv' ? signs(file) : undefined),
  );
  const again = await looked(file, place.path, size);
  const own = await looked(file, copy, size, to);
  const same = again.sha256 === look.sha256 && own.sha256 === look.sha256;
  if (!same || own.sha256AtMark === undefined) throw fault('file_changed', file.name);
  return { path: copy, to, look, sha256: own.sha256AtMark, ours: true };
}

/** A last line without its end is given time to get one, if the file was written to just now. */
async function changeOnceSettled(
  { name }: SourceFile,
  place: LocalPlace,
  inLines: boolean,
): ReturnType<typeof changeOf> {
  const change = await changeOf(place);
  const young = SETTLED_MS - Math.abs(Date.now() - place.mtimeMs);
  if (change !== 'same' || !inLines || young <= 0) return change;
  if (await withHandle(place.path, name, (handle) => endsRow(handle, place.size))) return change;
  await sleep(young);
  return changeOf(place);
}

function looked(file: SourceFile, path: string, size: number, mark?: number): Promise<Look> {
  return withHandle(path, file.name, (handle) => lookThrough(handle, size, mark));
}

async function copied({ name }: SourceFile, { path, size }: LocalPlace, temp: string): Promise<string> {
  const copy = join(temp, 'copy');
  await withHandle(path, name, (handle) => saveBytes(copy, bytesOf(handle, 0, size), name));
  return copy;
}
