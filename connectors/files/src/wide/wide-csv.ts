import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type JsonSchema, recordEnvelope } from '@weir/connector-sdk';
import { fieldJson } from '../columns/column-json.ts';
import { proveColumns } from '../columns/prove-columns.ts';
import type { ValueFacts } from '../columns/value-facts.ts';
import type { CsvDialect } from '../csv-header.ts';
import { withDuckdb } from '../duckdb-session.ts';
import { fault } from '../fault.ts';
import type { FileReading } from '../file-reading.ts';
import type { ReadyFile } from '../ready-file.ts';
import type { CsvRecord } from '../rejects/csv-records.ts';
import { headerLine, type Sifting, siftRecords } from '../rejects/sift-csv.ts';
import { literal } from '../sql-text.ts';
import { type ColumnSlice, columnSlices, sliceSource, writeSlices } from './column-slices.ts';
import { headerNames } from './field-ends.ts';

/** How much of a file is in memory at once as lines, and how many rows make a chunk at most. */
const CHUNK_CHARS = 4 * 1024 * 1024;
const CHUNK_ROWS = 2048;

/** The names of the columns of a file, in its order. */
export async function wideNames(file: ReadyFile, { delimiter }: CsvDialect): Promise<string[]> {
  return headerNames((await headerLine(file)).line, delimiter);
}

/** What the rows of a file of many columns say of each, a slice of columns after the other. */
export async function describeWide(file: ReadyFile, dialect: CsvDialect): Promise<Map<string, ValueFacts>> {
  const names = await wideNames(file, dialect);
  return withFolder(file, async (folder) => {
    const slices = columnSlices(names, folder);
    const writing = { delimiter: dialect.delimiter };
    await writeSlices(slices, [], { ...writing, isNew: true });
    const sifting = { dialect, onRejected: async () => undefined };
    for await (const rows of siftRecords(file, sifting)) await writeSlices(slices, rows, { ...writing, isNew: false });
    const facts = new Map<string, ValueFacts>();
    for (const slice of slices) {
      // An instance for each slice: what one holds is free again before the next.
      const found = await withDuckdb({ ...file, path: slice.path }, (connection) =>
        proveColumns(connection, sliceSource(file, slice, dialect), slice.names),
      );
      for (const [name, own] of found) facts.set(name, own);
    }
    return facts;
  });
}

export type WideReading = Sifting & {
  /** The columns of the file by name, in its order. */
  readonly schemas: readonly { readonly name: string; readonly schema: JsonSchema }[];
};

/** Sends the rows of a file of many columns as RECORD lines: each chunk of rows a slice of columns after the other. */
export async function readWide(file: ReadyFile, reading: FileReading, wide: WideReading): Promise<void> {
  const { schemas } = wide;
  await withFolder(file, async (folder) => {
    const slices = columnSlices(
      schemas.map(({ name }) => name),
      folder,
    );
    const nameChars = schemas.reduce((sum, { name }) => sum + name.length + 4, 0);
    await withDuckdb({ ...file, path: join(folder, 'any') }, async (connection) => {
      const send = chunkSender({ file, reading, slices, wide, connection });
      let chunk: CsvRecord[] = [];
      let chars = 0;
      for await (const rows of siftRecords(file, wide)) {
        for (const row of rows) {
          if (chunk.length > 0 && (chunk.length >= CHUNK_ROWS || chars + row.length + nameChars > CHUNK_CHARS)) {
            await send(chunk);
            chunk = [];
            chars = 0;
          }
          chunk.push(row);
          chars += row.length + nameChars;
        }
      }
      if (chunk.length > 0) await send(chunk);
    });
  });
}

type Sender = {
  readonly file: ReadyFile;
  readonly reading: FileReading;
  readonly slices: readonly ColumnSlice[];
  readonly wide: WideReading;
  readonly connection: DuckDBConnection;
};

function chunkSender({
  file,
  reading,
  slices,
  wide,
  connection,
}: Sender): (chunk: readonly CsvRecord[]) => Promise<void> {
  const { prefix, suffix } = recordEnvelope(reading.stream, reading.emittedAt, reading.from);
  const { dialect, schemas } = wide;
  const queries = slices.map((slice) => {
    const pieces = slice.names.flatMap((name, index) => {
      const json = fieldJson(name, schemas[slice.from + index]?.schema ?? {});
      return [literal(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`), `coalesce(${json}, 'null')`];
    });
    return `SELECT concat(${pieces.join(', ')}) FROM ${sliceSource(file, slice, dialect)}`;
  });
  return async (chunk) => {
    reading.signal.throwIfAborted();
    await writeSlices(slices, chunk, { delimiter: dialect.delimiter, isNew: true });
    const members: string[][] = chunk.map(() => []);
    for (const query of queries) {
      const [texts = []] = (await connection.runAndReadAll(query)).getColumns();
      // Each slice has as many rows as the chunk, or values would stand in rows of others.
      if (texts.length !== chunk.length) throw fault('csv_invalid', file.where());
      for (const [row, text] of texts.entries()) members[row]?.push(String(text));
    }
    const lines = members.map((own) => `${prefix}{${own.join(',')}}${suffix}`);
    await reading.onLines(Buffer.from(lines.join('')), lines.length);
  };
}

/** A folder for slices, in the one place where a connection may read. */
async function withFolder<T>(file: ReadyFile, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slices-'));
  try {
    return await use(folder);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? fault('temporary_files_full', file.where()) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
