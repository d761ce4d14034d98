// The program of a query child: it answers one request at a time from its parent and ends with it.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { startPulse } from '@weir/processes';
import { shapeReader } from '../duckdb/parquet-shape.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { ChildLimits, Query, QueryAnswer, QueryMessage, QueryWord } from './protocol.ts';
import { runQuery } from './run-query.ts';

const WATCH_INTERVAL_MS = 50;
/** An interrupt between two statements of a query, or while one begins, is lost: it is repeated until the query ends. */
const INTERRUPT_INTERVAL_MS = 50;

type Session = { readonly connection: DuckDBConnection; close(): void };

async function open(limits: ChildLimits): Promise<Session> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: limits.memoryLimit,
    threads: String(limits.threads),
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  // Pages of rows that nobody ordered follow each other only as long as rows come in the order of the files.
  await connection.run('SET preserve_insertion_order = true');
  await connection.run('SET parquet_metadata_cache = true');
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const limits = JSON.parse(process.argv[2] ?? '') as ChildLimits;
const { connection } = await open(limits);
await connection.run('SET lock_configuration = true');
const shapesOf = shapeReader(connection);
const stopped = new Set<number>();
let running: number | undefined;
/** Where the query that runs has its statements. */
let working = connection;

const send = (message: QueryWord, after?: () => void): void => {
  process.send?.(message, undefined, undefined, after);
};

/** A session of its own for one piece of work, which a stop reaches as well; it ends with the work. */
async function apart<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const session = await open(limits);
  working = session.connection;
  try {
    return await work(session.connection);
  } finally {
    working = connection;
    session.close();
  }
}

async function answer(id: number, query: Query): Promise<QueryAnswer> {
  const late = new LakehouseError('query_deadline', 'The query took too long');
  const assertWanted = (): void => {
    if (stopped.has(id)) throw late;
  };
  running = id;
  try {
    const result = await runQuery({ connection, shapesOf, assertWanted, apart }, query);
    assertWanted();
    return { id, result };
  } catch (error) {
    const { code, message } = stopped.has(id) ? late : duckdbError(error, 'query_failed', 'The query could not be run');
    return { id, error: { code, message } };
  } finally {
    running = undefined;
    stopped.clear();
  }
}

function interruptUntilEnd(id: number): void {
  if (id !== running) return;
  working.interrupt();
  setTimeout(() => interruptUntilEnd(id), INTERRUPT_INTERVAL_MS);
}

startPulse(() => {
  if (running !== undefined) send({ pulse: true });
});
setInterval(() => {
  if (process.memoryUsage.rss() < limits.maxResidentBytes) return;
  const error = { code: 'out_of_memory', message: 'The memory bound was reached' } as const;
  send({ id: running ?? 0, error }, () => process.kill(process.pid, 'SIGKILL'));
}, WATCH_INTERVAL_MS).unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message: QueryMessage) => {
  if ('query' in message) {
    void answer(message.id, message.query).then((one) => send(one));
  } else if (message.id === running) {
    stopped.add(message.id);
    interruptUntilEnd(message.id);
  }
});
