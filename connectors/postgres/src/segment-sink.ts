import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emit } from '@weir/connector-sdk';
import type { RowBlock } from './copy-rows.ts';
import type { Duckdb } from './duckdb-session.ts';
import { recordLines } from './record-lines.ts';
import type { RowSink, SinkOptions } from './row-sink.ts';
import { MAX_SEGMENT_ROW_BYTES, segmentSql } from './segment-sql.ts';

/** So much of CSV becomes one segment: Parquet is never larger than that. */
export const SEGMENT_CSV_BYTES = 48 * 1024 * 1024;
/** Rows are written to disk in pieces of this size. */
const WRITE_BYTES = 2 * 1024 * 1024;
/** A table so small is not worth a file. */
const MIN_SEGMENT_BYTES = 256 * 1024;
/** What DuckDB says of a text that is no value of the type. */
const REFUSED = /^(?:Conversion|Invalid Input|Out of Range) Error/;

export type SegmentSinkOptions = SinkOptions & {
  readonly segment: NonNullable<Emit['segment']>;
  readonly duckdb: Duckdb;
  /** Lets one sink after the other write its segment. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Distinguishes this sink's file from others of the run. */
  readonly name: string;
};

type Kept = { bytes: number; count: number; longest: number };

/** Gathers rows as CSV on disk and hands them over as Parquet files, which DuckDB makes: no row becomes an object here. */
export function segmentSink(options: SegmentSinkOptions): RowSink {
  const { duckdb, name, inTurn } = options;
  const csv = join(duckdb.scratch, `${name}.csv`);
  let file: FileHandle | undefined;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let kept: Kept = { bytes: 0, count: 0, longest: 0 };

  const write = async () => {
    file ??= await open(csv, 'w');
    const buffers = waiting;
    waiting = [];
    waitingBytes = 0;
    if (buffers.length > 0) await file.writev(buffers);
  };
  const send = async () => {
    if (kept.count === 0) return;
    const { bytes, count, longest } = kept;
    kept = { bytes: 0, count: 0, longest: 0 };
    if (bytes < MIN_SEGMENT_BYTES && file === undefined) {
      const { lines, count: sent } = recordLines(options, Buffer.concat(waiting, waitingBytes));
      waiting = [];
      waitingBytes = 0;
      return inTurn(() => options.emit.lines(lines, sent));
    }
    await write();
    await file?.close();
    file = undefined;
    await inTurn(() => handOver(options, { csv, count, longest }));
    await rm(csv, { force: true });
  };
  return {
    take({ bytes, count, longest }: RowBlock) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      kept.bytes += bytes.length;
      kept.count += count;
      kept.longest = Math.max(kept.longest, longest);
      if (kept.bytes >= SEGMENT_CSV_BYTES) return send();
      return waitingBytes >= WRITE_BYTES ? write() : undefined;
    },
    finish: send,
    async discard() {
      await file?.close();
      await rm(csv, { force: true });
    },
  };
}

type Rows = { readonly csv: string; readonly count: number; readonly longest: number };

/** Hands over the rows of a file as a segment; those with a value that no column holds, and very long ones, as lines. */
async function handOver(options: SegmentSinkOptions, { csv, count, longest }: Rows): Promise<void> {
  if (longest > MAX_SEGMENT_ROW_BYTES) return sendLines(options, csv, 'all');
  let left = 0;
  const outcome = await options.segment(async (target) => {
    const written = (await tried(options, csv, target, false)) ?? 0;
    if (written === count) return written;
    await rm(target, { force: true });
    const held = (await tried(options, csv, target, true)) ?? 0;
    left = count - held;
    return held;
  });
  if (outcome === 'too_large') return sendLines(options, csv, 'all');
  if (left > 0) await sendLines(options, csv, 'odd', left);
}

/** Writes a segment; undefined when a text is no value of its type. */
async function tried(
  { duckdb, columns, fixed }: SegmentSinkOptions,
  csv: string,
  target: string,
  isTolerant: boolean,
): Promise<number | undefined> {
  try {
    const [written] = await duckdb.run(segmentSql({ columns, fixed, csv, target, isTolerant }));
    return Number(written);
  } catch (error) {
    const isRefused = error instanceof Error && REFUSED.test(error.message);
    if (isRefused && !isTolerant) return undefined;
    throw error;
  }
}

async function sendLines(
  options: SegmentSinkOptions,
  csv: string,
  which: 'all' | 'odd',
  expected?: number,
): Promise<void> {
  const { lines, count } = recordLines(options, await readFile(csv), which);
  // What the two ways of looking at a value do not agree on would be lost or doubled.
  if (expected !== undefined && count !== expected) throw new Error('rows of a segment were lost');
  if (count > 0) await options.emit.lines(lines, count);
}
