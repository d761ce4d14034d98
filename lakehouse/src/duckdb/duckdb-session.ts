import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { literal } from './duckdb-sql.ts';
import { shapeReader } from './parquet-shape.ts';

const DEFAULT_MEMORY_LIMIT = '400MB';
const MOST_THREADS = 2;
/** One processor is left to whoever brings the lines: threads that share one with it cost more and are hardly faster. */
const DEFAULT_THREADS = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1));

export type SessionOptions = {
  /** What DuckDB may hold before it spills, such as `400MB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /** A folder for spilling; it must be the session's own. */
  readonly tempDirectory: string;
  /** What may be spilled, such as `1GB`. */
  readonly spillLimit?: string;
  /** Whether all statements keep the order in which rows are read, unless one says otherwise. */
  readonly ordered?: boolean;
  /** Where the session has its DuckDB from while it holds one. */
  readonly reserve?: DuckdbReserve | undefined;
};

/** DuckDBs of several threads that have begun and that no session has used yet: each is for one. */
export type DuckdbReserve = {
  /** One of the reserve; undefined when it is empty. */
  take(): DuckDBInstance | undefined;
};

/** What freed memory DuckDB's allocator may hold on to: by itself it keeps four times as much, and is no faster for it. */
const KEPT_MEMORY = { allocator_flush_threshold: '32MB', allocator_bulk_deallocation_flush_threshold: '64MB' };
const KEPT_WHERE_SHORT = '1MB';

/** How a statement is run. */
export type RunMode = {
  /** Whether rows keep the order in which they are read; whole row groups are then held back in memory. */
  readonly ordered?: boolean;
  /** In little memory: with one thread only, so that what a thread holds is held once, and nothing is kept that is free. */
  readonly alone?: boolean;
};

export type DuckdbSession = Awaited<ReturnType<typeof openSession>>;

type InstanceOptions = Pick<SessionOptions, 'memoryLimit' | 'threads'>;

/** Begins so many DuckDBs with their threads, for sessions of these options that open when no more threads may begin. */
export async function beginReserve(size: number, options: InstanceOptions): Promise<DuckdbReserve & { close(): void }> {
  const waiting: DuckDBInstance[] = [];
  while (waiting.length < size) waiting.push(await beginInstance(options));
  return {
    take: () => waiting.pop(),
    close() {
      for (const one of waiting.splice(0)) one.closeSync();
    },
  };
}

async function beginInstance({
  memoryLimit = DEFAULT_MEMORY_LIMIT,
  threads = DEFAULT_THREADS,
}: InstanceOptions): Promise<DuckDBInstance> {
  // Most processes that know the tables never open one of their own: its library is loaded by those that do.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  return DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    threads: String(threads),
    ...KEPT_MEMORY,
    // The head of a spool changes in place.
    enable_external_file_cache: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
}

/** A DuckDB of one's own in this process, in UTC, that loads no extension and runs one statement at a time. */
export async function openSession(options: SessionOptions) {
  const threads = options.threads ?? DEFAULT_THREADS;
  const inOrder = options.ordered ?? false;
  const { registerBuckets } = await import('./stage-bucket.ts');
  const instance = options.reserve?.take() ?? (await beginInstance({ ...options, threads }));
  const connection: DuckDBConnection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(`SET temp_directory = ${literal(options.tempDirectory)}`);
  await connection.run(`SET preserve_insertion_order = ${inOrder}`);
  // Given as an option of the instance it is shown, and not enforced.
  if (options.spillLimit !== undefined) {
    await connection.run(`SET max_temp_directory_size = ${literal(options.spillLimit)}`);
  }
  registerBuckets(connection);
  const mode = { ordered: inOrder, alone: false };

  const adopt = async ({ ordered = inOrder, alone = false }: RunMode): Promise<void> => {
    if (ordered !== mode.ordered) await connection.run(`SET preserve_insertion_order = ${ordered}`);
    mode.ordered = ordered;
    if (alone === mode.alone) return;
    await connection.run(`SET threads = ${alone ? 1 : threads}`);
    for (const [setting, kept] of Object.entries(KEPT_MEMORY)) {
      await connection.run(`SET ${setting} = '${alone ? KEPT_WHERE_SHORT : kept}'`);
    }
    mode.alone = alone;
  };
  return {
    /** Runs a statement and answers its rows, 64-bit integers as texts. */
    async rows<Row>(sql: string, how: RunMode = {}, values?: string[]): Promise<Row[]> {
      await adopt(how);
      const reader = await connection.runAndReadAll(sql, values);
      return reader.getRowObjectsJson() as unknown as Row[];
    },
    /** Runs a statement and answers its rows in chunks, as they come. */
    async *chunks(sql: string): AsyncIterable<DuckDBValue[][]> {
      yield* (await connection.stream(sql)).yieldRows();
    },
    /** The names and types of the columns that a statement answers; it is not run. */
    async columns(sql: string): Promise<{ names: string[]; types: DuckDBType[] }> {
      const prepared = await connection.prepare(sql);
      const places = Array.from({ length: prepared.columnCount }, (_, at) => at);
      const answer = {
        names: places.map((at) => prepared.columnName(at)),
        types: places.map((at) => prepared.columnType(at)),
      };
      prepared.destroySync();
      return answer;
    },
    /** Ends the statement that runs, if one does. */
    interrupt: (): void => connection.interrupt(),
    /** The layouts of local Parquet files, remembered by path. */
    shapes: shapeReader(connection),
    /** Ends DuckDB and frees its memory. */
    close(): void {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
