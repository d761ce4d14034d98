import { copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type Emit, MAX_SEGMENT_BYTES } from '@weir/connector-sdk';
import { fault } from './fault.ts';
import type { FileReading } from './file-reading.ts';
import { type Rows, sliceRows } from './parquet-slices.ts';
import type { ReadyFile } from './ready-file.ts';
import { identifier, literal, pathLiteral } from './sql-text.ts';

/** Smaller files go as lines, which a reader puts together to larger files. */
export const MIN_SEGMENT_SOURCE_BYTES = { parquet: 1024 * 1024, csv: 16 * 1024 * 1024 } as const;
/** The most of a CSV file that is rewritten before its first row is sent: so much lies in the temporary folder. */
const MAX_CSV_BYTES = 1024 * 1024 * 1024;
/** Packed for speed: a segment is read once. */
const SEGMENT_FORMAT = 'FORMAT parquet, COMPRESSION snappy';
/** Values in a row group: each thread holds one uncompressed. */
const ROW_GROUP_VALUES = 400_000;
const MIN_ROW_GROUP_ROWS = 2048;
/** DuckDB's name for the number of a row in its file. */
const ROW_NUMBER = 'file_row_number';

type Send = NonNullable<Emit['segment']>;

/** Sends a Parquet file as it is, or in slices of its rows when it is too large. Gives whether it did: else nothing was sent. */
export async function sendParquet(
  connection: DuckDBConnection,
  file: ReadyFile,
  { segment, signal, columns }: FileReading,
): Promise<boolean> {
  const { size } = await stat(file.path);
  if (segment === undefined || size < MIN_SEGMENT_SOURCE_BYTES.parquet || Object.hasOwn(columns, ROW_NUMBER))
    return false;
  await withScratch(async (scratch) =>
    sendFile(connection, file.path, { scratch, segment, signal, name: file.where() }),
  );
  return true;
}

/**
 * Rewrites a CSV file as a Parquet file of texts and sends that. Gives whether it did: a file that is too small or too large
 * for it, or that takes more memory or space than there is, is left to be sent as lines, and nothing was sent then.
 */
export async function sendCsv(
  connection: DuckDBConnection,
  file: ReadyFile,
  { query, segment, signal, columns }: FileReading & { readonly query: string },
): Promise<boolean> {
  const { size } = await stat(file.path);
  if (segment === undefined || size < MIN_SEGMENT_SOURCE_BYTES.csv || size > MAX_CSV_BYTES) return false;
  return withScratch(async (scratch) => {
    const path = join(scratch, 'whole.parquet');
    const rows = Math.max(MIN_ROW_GROUP_ROWS, Math.floor(ROW_GROUP_VALUES / Object.keys(columns).length));
    try {
      await interruptible(connection, signal, async () => {
        // One file, as DuckDB keeps the order of rows within a file only.
        await connection.run(`COPY (${query}) TO ${literal(path)} (${SEGMENT_FORMAT}, ROW_GROUP_SIZE ${rows})`);
      });
    } catch (error) {
      if (isOutOfMemory(error) || isOutOfSpace(error)) return false;
      throw error;
    }
    await sendFile(connection, path, { scratch, segment, signal, name: file.where(), isOurs: true });
    return true;
  });
}

type Sending = {
  readonly scratch: string;
  readonly segment: Send;
  readonly signal: AbortSignal;
  /** The file's name as people know it. */
  readonly name: string;
  /** Whether the file may be moved away. */
  readonly isOurs?: boolean;
};

async function sendFile(connection: DuckDBConnection, path: string, sending: Sending): Promise<void> {
  const { size } = await stat(path);
  const total = await rowCount(connection, path);
  if (size > MAX_SEGMENT_BYTES) return sendSlices(connection, path, sending);
  const hand = sending.isOurs ? moveFile : copyFile;
  await sending.segment(async (target) => {
    await hand(path, target);
    return { rows: total };
  });
}

/** Rows are numbered in their file, so that only the row groups which have some of a slice are read for it. */
async function sendSlices(connection: DuckDBConnection, path: string, sending: Sending): Promise<void> {
  const waiting: Rows[] = await sliceRows(connection, path);
  for (let slice = waiting.shift(); slice !== undefined; slice = waiting.shift()) {
    const outcome = await sendSlice(connection, path, slice, sending);
    if (outcome === 'sent') continue;
    const middle = Math.floor((slice.from + slice.to) / 2);
    if (middle === slice.from) throw fault('parquet_row_too_long', sending.name);
    waiting.unshift({ from: slice.from, to: middle }, { from: middle, to: slice.to });
  }
}

async function sendSlice(
  connection: DuckDBConnection,
  path: string,
  { from, to }: Rows,
  { scratch, segment, signal }: Sending,
): ReturnType<Send> {
  const part = join(scratch, 'slice.parquet');
  const source = `read_parquet(${pathLiteral(path)}, hive_partitioning = false, binary_as_string = false, ${ROW_NUMBER} = true)`;
  const own = `SELECT * EXCLUDE (${identifier(ROW_NUMBER)}) FROM ${source} WHERE ${ROW_NUMBER} >= ${from} AND ${ROW_NUMBER} < ${to}`;
  try {
    return await segment(async (target) => {
      await interruptible(connection, signal, async () => {
        await connection.run(`COPY (${own}) TO ${literal(part)} (${SEGMENT_FORMAT})`);
      });
      await moveFile(part, target);
      return { rows: to - from };
    });
  } catch (error) {
    if (to - from > MIN_ROW_GROUP_ROWS && isOutOfMemory(error)) return 'too_large';
    throw error;
  }
}

async function rowCount(connection: DuckDBConnection, path: string): Promise<number> {
  const result = await connection.runAndReadAll(`SELECT num_rows FROM parquet_file_metadata(${pathLiteral(path)})`);
  return Number(result.getRows()[0]?.[0]);
}

/** Ends a statement when the connector is asked to stop: nothing else looks at the signal while it runs. */
async function interruptible(
  connection: DuckDBConnection,
  signal: AbortSignal,
  run: () => Promise<void>,
): Promise<void> {
  const end = () => connection.interrupt();
  signal.addEventListener('abort', end, { once: true });
  try {
    await run();
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** A folder in the one place where a connection may write. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'duckdb', 'segments-'));
  try {
    return await use(folder);
  } catch (error) {
    throw isOutOfSpace(error) ? fault('temporary_files_full') : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder of segments may be a mount of its own. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
    await rm(from);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : '');
const isOutOfMemory = (error: unknown) => /out of memory|could not allocate|failed to allocate/i.test(messageOf(error));
const isOutOfSpace = (error: unknown) => /max_temp_directory_size|no space left/i.test(messageOf(error));
