// The program of a query child: it answers one request at a time from its parent and ends with it.
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import { duckdbError } from '../duckdb-error.ts';
import { LakehouseError } from '../error.ts';
import type { ChildLimits, QueryAnswer, QueryPage, QueryRequest } from './protocol.ts';
import { keyStatement, POSITION, pageStatement, type Statement } from './select-sql.ts';
import { wireValue } from './wire-value.ts';

const WATCH_INTERVAL_MS = 50;
/** Characters of JSON that one answer may have, whatever form it takes. */
const MAX_RESULT_CHARS = 32 * 1024 * 1024;

/** What the page before ended with, and the type that carries it unchanged. */
type SortKey = { readonly value: DuckDBValue; readonly type: DuckDBType };

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
  await connection.run('SET lock_configuration = true');
  return connection;
}

function stream(connection: DuckDBConnection, { sql, params }: Statement, key?: SortKey) {
  const bound = params.map((param): [DuckDBValue, DuckDBType] => {
    if ('text' in param) return [param.text, VARCHAR];
    if ('place' in param) return [param.place, BIGINT];
    return [key?.value ?? null, key?.type ?? VARCHAR];
  });
  return connection.stream(
    sql,
    bound.map(([value]) => value),
    bound.map(([, type]) => type),
  );
}

/** What the row that a page goes on behind holds in the column of the order. */
async function sortKey(connection: DuckDBConnection, request: QueryRequest): Promise<SortKey | undefined> {
  const { order, after, paths } = request;
  if (order === undefined || after === undefined) return undefined;
  const result = await stream(connection, keyStatement(paths[after.index] ?? '', order.field, after.row));
  const [row] = await result.getRows();
  if (row === undefined) throw new LakehouseError('position_missing', 'There is no such row to go on behind');
  return { value: row[0] ?? null, type: result.columnType(0) };
}

async function run(connection: DuckDBConnection, request: QueryRequest): Promise<QueryPage> {
  const rows: DuckDBValue[][] = [];
  const shown: unknown[][] = [];
  const width = request.fields.length;
  let size = 0;
  if (request.paths.length > 0) {
    const key = await sortKey(connection, request);
    const kind = key && (key.value === null ? 'null' : 'value');
    const result = await stream(connection, pageStatement(request, kind), key);
    for await (const chunk of result.yieldRows()) {
      for (const row of chunk) {
        const values = row.slice(0, width).map(wireValue);
        size += JSON.stringify(values).length;
        if (size > MAX_RESULT_CHARS) throw new LakehouseError('result_too_large', 'The rows are too large to show');
        rows.push(row);
        shown.push(values);
      }
    }
  }
  const more = rows.length > request.limit;
  if (more) for (const list of [rows, shown]) list.pop();
  const last = rows.at(-1)?.slice(width, width + POSITION.length);
  const place = last && { index: Number(last[0]), row: String(last[1]) };
  if (request.arrow === undefined) return { more, last: place, rows: shown };
  // Most children are never asked for Arrow, and its library takes a while to load.
  const { arrowStream } = await import('./arrow-stream.ts');
  return { more, last: place, rows: arrowStream(request.fields, rows, request.arrow) };
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
