import { type FileHandle, open } from 'node:fs/promises';
import type { BareLines, LineShape } from '../stage/stage-sql.ts';
import type { RejectedLines, RejectReason } from '../stage/stage-types.ts';
import type { SourcePlace } from './source-reject.ts';
import { spoolLines } from './spool-lines.ts';
import { SPOOL_HEAD_BYTES } from './stage-head.ts';
import { rewriteLine } from './stage-line.ts';

/** The longest line that may be a row. */
export const MAX_LINE_BYTES: number = 64 * 1024 * 1024;
const [SPACE, RETURN] = [0x20, 0x0d];
/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** A line of a file of rejected lines, as JSON: its bytes in base64, and where a file of the source has it. */
export type RejectedLine = Partial<SourcePlace> & {
  readonly position: number;
  readonly reason: string;
  readonly raw: string;
};

/** The beginning of a longer line, which is all that is kept of it. */
const KEPT_BYTES = 64 * 1024;
const TOO_LARGE = { reason: 'line_too_large' } as const;

/** Gathers small pieces into large writes. */
async function gather(path: string) {
  const file: FileHandle = await open(path, 'w');
  let pieces: (Buffer | string)[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const all = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
    pieces = [];
    bytes = 0;
    await file.writeFile(all);
  };
  return {
    put(piece: Buffer | string): void {
      pieces.push(piece);
      bytes += piece.length;
    },
    /** To be called before the memory under the pieces changes. */
    async settle(): Promise<void> {
      if (bytes >= WRITE_BYTES) await flush();
      else pieces = [Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))];
    },
    async end(): Promise<void> {
      await flush();
      await file.close();
    },
    abandon: (): Promise<void> => file.close().catch(() => undefined),
  };
}

/** Writes a file of rejected lines; `lines` yields them in any order. */
export async function writeRejected(
  path: string,
  lines: Iterable<{ position: number; reason: string; raw: Buffer }>,
): Promise<RejectedLines> {
  const out = await gather(path);
  const reasons: Record<string, number> = {};
  let count = 0;
  try {
    for (const { position, reason, raw } of lines) {
      out.put(rejectedText({ position, reason, raw: raw.toString('base64') }));
      await out.settle();
      reasons[reason] = (reasons[reason] ?? 0) + 1;
      count++;
    }
    await out.end();
    return { path, count, reasons };
  } catch (error) {
    await out.abandon();
    throw error;
  }
}

const rejectedText = (line: RejectedLine): string => `${JSON.stringify(line)}\n`;

/** The result of rewriting a spool: a spool that DuckDB takes whole, and the lines that are not in it. */
export type Rewriting = {
  readonly lines: number;
  readonly kept: number;
  readonly rejected: RejectedLines | undefined;
};

export type RewriteRequest = {
  readonly source: string;
  readonly shape: LineShape;
  readonly columns: ReadonlySet<string>;
  /** Where the rewritten spool goes, and the rejected lines. */
  readonly target: string;
  readonly rejects: string;
  readonly position: number;
  /** Rows, counted from 0 among those that a rewriting without these keeps, that are rejected as `key_missing`. */
  readonly keyless?: ReadonlySet<number>;
};

/**
 * Rewrites a spool line by line, in one pass: every line becomes a line of `REWRITTEN` form or is rejected with its
 * bytes, its reason and its position. Reads about 100 MB/s.
 */
export async function rewriteSpool(request: RewriteRequest): Promise<Rewriting> {
  const { source, shape, columns, target, rejects, position, keyless } = request;
  const [out, bad] = [await gather(target), await gather(rejects)];
  const reasons: Record<string, number> = {};
  let [lines, rows, rejected] = [0, 0, 0];
  const reject = (raw: Buffer, reason: RejectReason, place?: SourcePlace): void => {
    bad.put(rejectedText({ position: position + lines, reason, raw: raw.toString('base64'), ...place }));
    reasons[reason] = (reasons[reason] ?? 0) + 1;
    rejected++;
  };
  const take = (line: Buffer): void => {
    const rewritten = line.length > MAX_LINE_BYTES ? TOO_LARGE : rewriteLine(line, shape, columns);
    if ('place' in rewritten) reject(rewritten.raw, rewritten.reason, rewritten.place);
    else if ('reason' in rewritten)
      reject(rewritten === TOO_LARGE ? line.subarray(0, KEPT_BYTES) : line, rewritten.reason);
    else if (keyless?.has(rows++)) reject(line, 'key_missing');
    else for (const part of rewritten.parts) out.put(part);
  };
  try {
    for await (const batch of spoolLines(source, MAX_LINE_BYTES)) {
      for (const line of batch) {
        take(line);
        lines++;
      }
      await out.settle();
      await bad.settle();
    }
    await out.end();
    await bad.end();
  } catch (error) {
    await out.abandon();
    await bad.abandon();
    throw error;
  }
  return {
    lines,
    kept: lines - rejected,
    rejected: rejected ? { path: rejects, count: rejected, reasons } : undefined,
  };
}

/** Makes lines of data rows of a shape, in a spool with room at its head. */
export async function envelopeLines(source: string, target: string, { prefix, suffix }: BareLines): Promise<void> {
  const out = await gather(target);
  try {
    out.put(`${' '.repeat(SPOOL_HEAD_BYTES - 1)}\n`);
    for await (const lines of spoolLines(source, MAX_LINE_BYTES)) {
      for (const line of lines) {
        if (line.at(-1) === RETURN) line[line.length - 1] = SPACE;
        out.put(prefix);
        out.put(line);
        out.put(suffix);
      }
      await out.settle();
    }
    await out.end();
  } catch (error) {
    await out.abandon();
    throw error;
  }
}
