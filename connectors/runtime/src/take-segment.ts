import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SegmentFacts, SegmentFormat } from '@weir/connector-sdk';
import { MAX_SEGMENT_BYTES, MAX_UNACKNOWLEDGED_SEGMENTS } from '@weir/connector-sdk';
import { ConnectorError } from './connector-error.ts';
import { parquetRows } from './parquet-footer.ts';

/** A file name that is one, in the folder it is looked up in: no separator, no leading dot. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.(?:parquet|jsonl)$/;
const FORMATS: readonly string[] = ['parquet', 'jsonl'] satisfies SegmentFormat[];
const SHA256 = /^[0-9a-f]{64}$/;
const SCHEMA_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Beside those that wait to be taken there may be the one that is being written. */
const MAX_FOLDER_FILES = MAX_UNACKNOWLEDGED_SEGMENTS + 1;
const BLOCK_BYTES = 1024 * 1024;
const [SPACE, NEWLINE] = [0x20, 0x0a];
const NAME_BYTES = 8;

/** Where segments lie, and whether their files belong to another user than ours, as a container's do. */
export type SegmentPlace = { readonly path: string; readonly ofOthers?: boolean };

/** Where a copy goes. Lines have a line of so many spaces before them, in which their reader may write. */
export type TakenTo = { readonly path: string; readonly head: number };

/** Whether a name may be that of a segment's file. One that may not is never looked up, so it is never acknowledged. */
export function isSegmentName(file: unknown): boolean {
  return typeof file === 'string' && FILE_NAME.test(file);
}

/** Whether the facts of a SEGMENT line, its file's name aside, are of their shape and within bounds. */
function areInBounds({ format, rows, bytes, sha256, schema_id, emitted_at = 0 }: SegmentFacts): boolean {
  const isCount = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  const matches = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);
  const areCounts = isCount(rows, 1) && isCount(bytes, 1, MAX_SEGMENT_BYTES) && isCount(emitted_at, 0);
  return FORMATS.includes(format) && areCounts && matches(sha256, SHA256) && matches(schema_id, SCHEMA_ID);
}

/**
 * Copies a segment out of the folder that the connector writes to, and acknowledges it by deleting it there. What is
 * judged is the copy, which the connector cannot reach: a file that it still holds open or has linked elsewhere changes
 * nothing any more. Throws `segment_unsafe` for what is no plain file of its owner, `segment_mismatch` when size, digest or
 * rows are not as the line says, `segment_backlog` when more lies in the folder than may; nothing is left at `target` then,
 * and the file is deleted all the same, so that the connector goes on with its other streams.
 */
export function takeSegment(from: SegmentPlace, segment: SegmentFacts, { path: target, head }: TakenTo): void {
  const directory = openDirectory(from.path);
  const source = join(directory.path, segment.file);
  try {
    if (!areInBounds(segment)) throw new ConnectorError('segment_invalid');
    checkFolder(directory.path);
    copyChecked({ path: source, ofOthers: from.ofOthers === true }, segment, { path: target, head });
  } catch (error) {
    rmSync(target, { force: true });
    throw error instanceof ConnectorError ? error : new ConnectorError('spool_failed', { cause: error });
  } finally {
    acknowledge(directory.path, segment.file);
    directory.close();
  }
}

/** Acknowledges a segment whose records are not wanted any more. */
export function dropSegment(folder: string, { file }: SegmentFacts): void {
  const directory = openDirectory(folder);
  try {
    acknowledge(directory.path, file);
  } finally {
    directory.close();
  }
}

/**
 * Takes away whatever has that name, or the connector would wait for ever. A folder that holds something is only put aside:
 * it may be as large as it likes, or closed to us, and goes with all the rest at the end.
 */
function acknowledge(folder: string, file: string): void {
  const place = join(folder, file);
  try {
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(place, { force: true });
    else renameSync(place, join(folder, `.refused-${randomBytes(NAME_BYTES).toString('hex')}`));
  } catch {
    // One who takes our place in the folder away from us is told nothing more; its silence ends it.
  }
}

/** The folder held open: where the system allows it, names are looked up in it and not along a path that may change. */
function openDirectory(folder: string): { readonly path: string; readonly close: () => void } {
  try {
    const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder;
    return { path, close: () => closeSync(fd) };
  } catch (cause) {
    throw new ConnectorError('segment_unsafe', { cause });
  }
}

function checkFolder(folder: string): void {
  const names = readdirSync(folder);
  const sizes = names.map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (names.length > MAX_FOLDER_FILES || total > MAX_FOLDER_FILES * MAX_SEGMENT_BYTES) {
    throw new ConnectorError('segment_backlog');
  }
}

function copyChecked({ path, ofOthers }: Required<SegmentPlace>, segment: SegmentFacts, target: TakenTo): void {
  const source = openSource(path);
  try {
    const facts = fstatSync(source);
    const isOurs = ofOthers || process.getuid === undefined || facts.uid === process.getuid();
    if (!facts.isFile() || facts.nlink !== 1 || !isOurs) throw new ConnectorError('segment_unsafe');
    if (facts.size !== segment.bytes) throw new ConnectorError('segment_mismatch');
    const isLines = segment.format === 'jsonl';
    const head = isLines ? target.head : 0;
    const copy = openSync(target.path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      if (head > 0) writeSync(copy, Buffer.alloc(head, SPACE).fill(NEWLINE, head - 1), 0, head, 0);
      const { digest, lines } = copyHashed(source, copy, { size: segment.bytes, head, isLines });
      const readAt = (position: number, length: number) => fill(Buffer.allocUnsafe(length), copy, position);
      const rows = isLines ? lines : () => parquetRows(readAt, segment.bytes);
      const isSame = digest === segment.sha256;
      if (!isSame || rows() !== BigInt(segment.rows)) throw new ConnectorError('segment_mismatch');
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(source);
  }
}

/** Without O_NONBLOCK a pipe in the place of the file would hold us until someone writes to it. */
function openSource(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new ConnectorError('segment_unsafe', { cause });
  }
}

type CopyBounds = { readonly size: number; readonly head: number; readonly isLines: boolean };

/**
 * Copies at most `size` bytes behind the head and gives their digest, which is another one where the file has shrunk meanwhile,
 * and their lines: undefined unless the last one ends.
 */
function copyHashed(source: number, copy: number, { size, head, isLines }: CopyBounds) {
  const hash = createHash('sha256');
  const memory = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, size));
  let lines = 0n;
  let isEnded = false;
  for (let at = 0; at < size; ) {
    const block = fill(memory.subarray(0, size - at), source, at);
    if (block.length === 0) break;
    hash.update(block);
    const to = head + at;
    for (let done = 0; done < block.length; ) done += writeSync(copy, block, done, block.length - done, to + done);
    if (isLines) for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, end + 1)) lines += 1n;
    isEnded = block.at(-1) === NEWLINE;
    at += block.length;
  }
  return { digest: hash.digest('hex'), lines: () => (isEnded ? lines : undefined) };
}

/** Reads from a place of a file on until the memory is full or the file at its end; gives what was read. */
function fill(memory: Buffer, file: number, position: number): Buffer {
  let done = 0;
  while (done < memory.length) {
    const read = readSync(file, memory, done, memory.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return memory.subarray(0, done);
}
