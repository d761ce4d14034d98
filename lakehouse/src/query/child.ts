// The program of a query child: it answers one request at a time from its parent and ends with it.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { duckdbError } from '../duckdb-error.ts';
import { LakehouseError } from '../error.ts';
import { shapeReader } from './parquet-shape.ts';
import type { ChildLimits, Query, QueryAnswer, QueryMessage } from './protocol.ts';
import { runQuery } from './run-query.ts';

const WATCH_INTERVAL_MS = 50;

async function connect(limits: ChildLimits): Promise<DuckDBConnection> {
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
  await connection.run('SET lock_configuration = true');
  return connection;
}

const limits = JSON.parse(process.argv[2] ?? '') as ChildLimits;
const connection = await connect(limits);
const shapesOf = shapeReader(connection);
const stopped = new Set<number>();
let running: number | undefined;

const send = (message: QueryAnswer, after?: () => void): void => {
  process.send?.(message, undefined, undefined, after);
};

async function answer(id: number, query: Query): Promise<QueryAnswer> {
  const late = new LakehouseError('query_deadline', 'The query took too long');
  const assertWanted = (): void => {
    if (stopped.has(id)) throw late;
  };
  running = id;
  try {
    return { id, result: await runQuery({ connection, shapesOf, assertWanted }, query) };
  } catch (error) {
    const { code, message } = stopped.has(id) ? late : duckdbError(error, 'query_failed', 'The query could not be run');
    return { id, error: { code, message } };
  } finally {
    running = undefined;
    stopped.clear();
  }
}

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
    connection.interrupt();
  }
});
