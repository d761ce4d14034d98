import { closeSync, constants, ftruncateSync, openSync, rmSync, writevSync } from 'node:fs';
import { ConnectorError } from './connector-error.ts';
import type { RejectedLine, SealedSegment } from './spool-queue.ts';

/** Lines are collected to writes of this size. */
const WRITE_BYTES = 1024 * 1024;
const { O_CREAT, O_WRONLY } = constants;

/** One file of an open segment, as far as it has grown. */
export type SpoolPart = {
  readonly format: SealedSegment['format'];
  /** Undefined until something is written. */
  path: string | undefined;
  /** Gives the path when it is needed: by then a file may have been let go. */
  readonly claim: () => string;
  /** The rows of the stream before its own. */
  readonly position: number;
  readonly extractedAt: number | undefined;
  readonly file: string | undefined;
  /** Bytes before the first line of rows: a line of spaces, if any. */
  readonly head: number;
  pending: Uint8Array[];
  pendingBytes: number;
  /** Bytes that are in the file, the head included. A file that was used before may have more, until it is sealed. */
  written: number;
  bytes: number;
  rows: number;
  /** What looks at the lines has found one that it looks for. */
  detected: boolean;
  /** After a rejected line the part is closed. */
  rejected: readonly RejectedLine[];
};

/** A part of no row yet; with a head it begins with a line of spaces of so many bytes. */
export function linesPart(claim: () => string, position: number, head = 0): SpoolPart {
  const pending = head === 0 ? [] : [Buffer.from(`${' '.repeat(head - 1)}\n`)];
  const empty = { pending, pendingBytes: head, written: 0, bytes: 0, rows: 0, detected: false, rejected: [] };
  return { format: 'lines', path: undefined, claim, position, extractedAt: undefined, file: undefined, head, ...empty };
}

/** Adds whole lines. */
export function appendLines(part: SpoolPart, lines: Uint8Array, count: number): void {
  part.pending.push(lines);
  part.pendingBytes += lines.byteLength;
  part.bytes += lines.byteLength;
  part.rows += count;
  if (part.pendingBytes >= WRITE_BYTES) flushPart(part);
}

/** Appends what is pending. Synchronous: it lands in the page cache, and nothing else waits on this loop. */
export function flushPart(part: SpoolPart): void {
  if (part.pendingBytes === 0) return;
  inFile(part, (file) => writeAll(file, part.pending, part.written));
  part.written += part.pendingBytes;
  part.pending = [];
  part.pendingBytes = 0;
}

/** Writes what is pending and ends the file behind it. */
export function sealPart(part: SpoolPart): void {
  flushPart(part);
  if (part.written > 0) inFile(part, (file) => ftruncateSync(file, part.written));
}

function inFile(part: SpoolPart, action: (file: number) => void): void {
  part.path ??= part.claim();
  try {
    const file = openSync(part.path, O_CREAT | O_WRONLY, 0o600);
    try {
      action(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new ConnectorError('spool_failed', { cause });
  }
}

/** Forgets what came after the first `bytes` of lines. */
export function cutPart(
  part: SpoolPart,
  { bytes, rows, rejected }: Pick<SpoolPart, 'bytes' | 'rows' | 'rejected'>,
): void {
  flushPart(part);
  if (bytes === 0) dropPart(part);
  Object.assign(part, { bytes, rows, rejected, written: bytes === 0 ? 0 : part.head + bytes });
}

/** Deletes the part's file, if there is one. */
export function dropPart({ path }: SpoolPart): void {
  if (path !== undefined) rmSync(path, { force: true });
}

function writeAll(file: number, chunks: Uint8Array[], from: number): void {
  let rest = chunks;
  let position = from;
  while (rest.length > 0) {
    let written = writevSync(file, rest, position);
    position += written;
    let done = 0;
    while (done < rest.length && written >= (rest[done]?.byteLength ?? 0)) written -= rest[done++]?.byteLength ?? 0;
    const cut = rest[done];
    rest = rest.slice(done);
    if (cut !== undefined && written > 0) rest[0] = cut.subarray(written);
  }
}
