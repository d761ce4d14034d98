import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { duckdbError } from './duckdb-error.ts';
import { localPath } from './fileio.ts';
import { type LineShape, stageStatement } from './stage-sql.ts';
import { type CopyStats, columnStatistic, type StagedFile, stagedFileFromStats } from './stats.ts';
import type { TableSchema } from './types.ts';

export type StagerOptions = {
  /** What DuckDB may hold before it spills, such as `400MB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /** A folder for spilling; it must be the stager's own. */
  readonly tempDirectory: string;
};

export type StageRequest = {
  /** The path of a spool of JSON lines, one row each. */
  readonly source: string;
  readonly shape: LineShape;
  /** The table's schema, meta columns included; columns that a line lacks become NULL. */
  readonly schema: TableSchema;
  /** The location of the data file to make; it must not exist. */
  readonly target: string;
  readonly runId: string;
};

export type StageResult = {
  readonly rows: number;
  /** Rows with at least one entry in `_errors`. */
  readonly rowsWithErrors: number;
  /** Rows with members that no column holds; they are in `_extra`. */
  readonly rowsWithExtra: number;
  /** The written file; undefined when the spool had no row, and then no file is left. */
  readonly file: StagedFile | undefined;
};

export type Stager = Awaited<ReturnType<typeof createStager>>;

const DEFAULT_MEMORY_LIMIT = '400MB';
const DEFAULT_THREADS = 2;
/** Lines up to this length are read by all threads at once. */
const USUAL_LINE_BYTES = 4 * 1024 * 1024;
/** The longest line; what reads a connector's output refuses longer ones. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_TOO_LONG = /maximum_object_size/;
const OUT_OF_MEMORY = /^Out of Memory Error/;

type Reading = { readonly keepExtra: boolean; readonly maxLineBytes: number };

async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function openDuckdb(options: StagerOptions): Promise<{ connection: DuckDBConnection; close: () => void }> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit ?? DEFAULT_MEMORY_LIMIT,
    threads: String(options.threads ?? DEFAULT_THREADS),
    temp_directory: options.tempDirectory,
    // A table has no order, and keeping the input's would hold whole row groups back in memory.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const close = (): void => {
    connection.closeSync();
    instance.closeSync();
  };
  return { connection, close };
}

/**
 * Types spools of JSON lines into Parquet data files, all in DuckDB: no row becomes a JavaScript value. A value that
 * does not fit its column becomes NULL and an entry in the row's `_errors` (`field`, `change`: `nulled` or `rounded`,
 * `reason`). A spool with a line that is no JSON object, or not UTF-8, is refused whole as `malformed_lines`. Failures
 * leave no file behind.
 */
export async function createStager(options: StagerOptions) {
  const { connection, close } = await openDuckdb(options);
  // Fields whose rows had unknown members: their next spool is read the exact way at once.
  const drifting = new Set<string>();

  const attempt = async (request: StageRequest, target: string, how: Reading): Promise<CopyStats> => {
    const reader = await connection.runAndReadAll(stageStatement({ ...request, ...how, target }));
    return reader.getRowObjectsJson()[0] as unknown as CopyStats;
  };
  // Buffers for the longest line, and the vectors of a thousand columns, are too large to have them once per thread.
  const attemptAlone = async (request: StageRequest, target: string, how: Reading): Promise<CopyStats> => {
    await connection.run('SET threads = 1');
    try {
      return await attempt(request, target, how);
    } finally {
      await connection.run(`SET threads = ${options.threads ?? DEFAULT_THREADS}`);
    }
  };
  const run = async (request: StageRequest, keepExtra: boolean): Promise<CopyStats> => {
    const target = localPath(request.target);
    try {
      await mkdir(dirname(target), { recursive: true });
      return await attempt(request, target, { keepExtra, maxLineBytes: USUAL_LINE_BYTES }).catch((error) => {
        const { message } = error as Error;
        if (OUT_OF_MEMORY.test(message)) {
          return attemptAlone(request, target, { keepExtra, maxLineBytes: USUAL_LINE_BYTES });
        }
        if (!LINE_TOO_LONG.test(message)) throw error;
        return attemptAlone(request, target, { keepExtra, maxLineBytes: MAX_LINE_BYTES });
      });
    } catch (error) {
      await rm(target, { force: true });
      throw stageError(error);
    }
  };

  return {
    /** Types one spool into one data file. Calls on one stager run one after the other inside DuckDB. */
    async copy(request: StageRequest): Promise<StageResult> {
      const fields = JSON.stringify(request.schema.fields);
      let stats = await run(request, drifting.has(fields));
      if (!drifting.has(fields) && withExtra(stats) > 0) {
        drifting.add(fields);
        stats = await run(request, true);
      }
      if (Number(stats.count) === 0) {
        await rm(localPath(request.target), { force: true });
        return { rows: 0, rowsWithErrors: 0, rowsWithExtra: 0, file: undefined };
      }
      await makeDurable(localPath(request.target));
      return {
        rows: Number(stats.count),
        rowsWithErrors: withErrors(stats),
        rowsWithExtra: withExtra(stats),
        file: stagedFileFromStats(stats, request.schema),
      };
    },

    /** Ends DuckDB and frees its memory. */
    close,
  };
}

function withExtra(stats: CopyStats): number {
  return Number(stats.count) - Number(columnStatistic(stats, ['_extra'], 'null_count') ?? 0);
}

// An empty list counts as one null of its leaf columns, and an entry always names its field.
function withErrors(stats: CopyStats): number {
  return Number(stats.count) - Number(columnStatistic(stats, ['_errors', 'element', 'field'], 'null_count') ?? 0);
}

function stageError(error: unknown): Error {
  const text = error instanceof Error ? error.message : '';
  if (/^Invalid Input Error|^Conversion Error/.test(text)) {
    return duckdbError(undefined, 'malformed_lines', 'The spool has lines that are no rows');
  }
  return duckdbError(error, 'stage_failed', 'The spool could not be written as a data file');
}
