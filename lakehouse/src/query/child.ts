// The program of a query child: it answers one request at a time from its parent and ends with it.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { duckdbError } from '../duckdb-error.ts';
import { readParquet } from '../duckdb-sql.ts';
import { LakehouseError } from '../error.ts';
import type { FieldType } from '../types.ts';
import type { ChildLimits, QueryAnswer, QueryRequest, QueryResult } from './protocol.ts';
import { wireValue } from './wire-value.ts';

const WATCH_INTERVAL_MS = 50;
/** Characters of JSON that one answer may have. */
const MAX_RESULT_CHARS = 32 * 1024 * 1024;

const typeName = (type: FieldType): string => (typeof type === 'string' ? type : type.type);

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
  await connection.run('SET lock_configuration = true');
  return connection;
}

async function run(connection: DuckDBConnection, request: QueryRequest): Promise<QueryResult> {
  const columns = request.fields.map(({ name, type }) => ({ name, type: typeName(type) }));
  if (!request.paths.length) return { columns, rows: [] };
  const sql = `SELECT * FROM ${readParquet(request.paths, request.fields)} LIMIT ${Math.trunc(request.limit)}`;
  const rows: unknown[][] = [];
  let size = 0;
  const result = await connection.stream(sql);
  for await (const chunk of result.yieldRows()) {
    for (const row of chunk) {
      const values = row.map(wireValue);
      size += JSON.stringify(values).length;
      if (size > MAX_RESULT_CHARS) throw new LakehouseError('result_too_large', 'The rows are too large to show');
      rows.push(values);
    }
  }
  return { columns, rows };
}

async function answer(connection: DuckDBConnection, request: QueryRequest): Promise<QueryAnswer> {
  try {
    return { result: await run(connection, request) };
  } catch (error) {
    const { code, message } = duckdbError(error, 'query_failed', 'The query could not be run');
    return { error: { code, message } };
  }
}

const limits = JSON.parse(process.argv[2] ?? '') as ChildLimits;
const connection = await connect(limits);
const send = (message: QueryAnswer, after?: () => void): void => {
  process.send?.(message, undefined, undefined, after);
};

setInterval(() => {
  if (process.memoryUsage.rss() < limits.maxResidentBytes) return;
  const error = { code: 'out_of_memory', message: 'The memory bound was reached' } as const;
  send({ error }, () => process.kill(process.pid, 'SIGKILL'));
}, WATCH_INTERVAL_MS).unref();
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (request: QueryRequest) => {
  void answer(connection, request).then((message) => send(message));
});
