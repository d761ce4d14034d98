import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SourceError } from '@weir/connector-sdk';
import { type FaultCode, fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';
import { literal } from './sql-text.ts';

const THREADS = 2;
/** What DuckDB may hold at most; the process as a whole stays below 300 MB with it. */
const MEMORY_MB = 200;
/** Of a memory limit that the runtime sets, this share is DuckDB's. */
const MEMORY_SHARE = 0.5;

/**
 * Runs `use` with a connection of an instance of its own that may open files of the file's folder only, loads no
 * extension and takes no further setting. One instance a file: some damaged inputs put an instance out of use.
 * Whatever DuckDB throws becomes a fault without a word of DuckDB's message, which quotes content.
 */
export async function withDuckdb<T>(file: ReadyFile, use: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const temp = join(tmpdir(), 'duckdb');
  mkdirSync(temp, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(THREADS),
    memory_limit: `${memoryLimit()}MB`,
    temp_directory: temp,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    await connection.run(`SET TimeZone = 'UTC'`);
    await connection.run(`SET allowed_directories = [${literal(dirname(file.path))}, ${literal(temp)}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return await use(connection);
  } catch (error) {
    throw duckdbFault(error, file) ?? error;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function memoryLimit(): number {
  const given = Number(process.env.WEIR_CONNECTOR_MEMORY_MIB);
  return given > 0 ? Math.floor(given * MEMORY_SHARE) : MEMORY_MB;
}

const RULES: readonly (readonly [RegExp, FaultCode])[] = [
  [/out of memory|could not allocate|failed to allocate|max_temp_directory_size/i, 'memory_exceeded'],
  [/invalid unicode|not utf-8|invalid string encoding/i, 'encoding_invalid'],
  [/unterminated quote/i, 'csv_quote_unclosed'],
  [/maximum line size of \d+ bytes exceeded|csv reader .*does not support a full read/i, 'csv_row_too_long'],
  [/no such file|no files found|permission (?:denied|error)|cannot open file/i, 'file_unreadable'],
];
/** Words for Parquet files that are whole, and that DuckDB cannot read all the same. */
const UNSUPPORTED =
  /unsupported|only supported|not (?:yet )?(?:supported|implemented)|requires (?:one|two|a) |at least one non-root column|geoparquet/i;
const LINE = /CSV Error on Line: (\d+)/;

/** The fault that a DuckDB error stands for; undefined for errors that are not DuckDB's. */
function duckdbFault(error: unknown, file: ReadyFile): SourceError | undefined {
  const text = messageOf(error);
  if (!/^(?:[A-Z][A-Za-z ]* )?(?:Error|Exception):/i.test(text)) return undefined;
  const line = LINE.exec(text)?.[1];
  const where = file.where(line === undefined ? undefined : Number(line));
  const rule = RULES.find(([pattern]) => pattern.test(text));
  if (rule !== undefined) return fault(rule[1], where);
  if (file.format === 'parquet')
    return fault(UNSUPPORTED.test(text) ? 'parquet_unsupported' : 'parquet_truncated', where);
  return fault(/^IO Error:/i.test(text) ? 'file_unreadable' : 'csv_invalid', where);
}

function messageOf(error: unknown): string {
  // A fault of ours is no DuckDB error, whatever its words.
  return error instanceof Error && error.name === 'Error' ? error.message : '';
}
