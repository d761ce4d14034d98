import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { fault } from './fault.ts';
import { literal } from './sql-text.ts';

const THREADS = 2;
/** What DuckDB may hold at most; the process as a whole stays below 400 MB with it. */
const MEMORY_MB = 220;
/** Of a memory limit that the runtime sets, this share is DuckDB's. */
const MEMORY_SHARE = 0.45;

/** A DuckDB that reads and writes in folders of the run alone. */
export type Duckdb = {
  /** Where the parts of a table lie for a while. */
  readonly scratch: string;
  /** Runs a statement; gives its first row, if there is one. */
  readonly run: (sql: string) => Promise<readonly unknown[]>;
  readonly interrupt: () => void;
  readonly close: () => Promise<void>;
};

/** Starts one; `folders` are those beside its own into which it may write. */
export async function startDuckdb(folders: readonly string[]): Promise<Duckdb> {
  const scratch = await mkdtemp(join(tmpdir(), 'weir-postgres-'));
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(THREADS),
    memory_limit: `${memoryLimit()}MB`,
    temp_directory: join(scratch, 'duckdb'),
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection: DuckDBConnection = await instance.connect();
  const allowed = [scratch, ...folders].map(literal).join(', ');
  await connection.run(`SET TimeZone = 'UTC'`);
  await connection.run(`SET allowed_directories = [${allowed}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return {
    scratch,
    async run(sql) {
      try {
        const answer = await connection.runAndReadAll(sql);
        return answer.getRows()[0] ?? [];
      } catch (error) {
        throw resourceFault(error) ?? error;
      }
    },
    interrupt: () => connection.interrupt(),
    async close() {
      connection.closeSync();
      instance.closeSync();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

function memoryLimit(): number {
  const given = Number(process.env.WEIR_CONNECTOR_MEMORY_MIB);
  return given > 0 ? Math.floor(given * MEMORY_SHARE) : MEMORY_MB;
}

function resourceFault(error: unknown) {
  const message = error instanceof Error ? error.message : '';
  if (/no space left|max_temp_directory_size/i.test(message)) return fault('storage_full');
  return /out of memory|could not allocate|failed to allocate/i.test(message) ? fault('memory_exceeded') : undefined;
}
