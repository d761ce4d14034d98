import { StatementType } from '@duckdb/node-api';
import { sqlType } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { column, type Shapes } from '../rows/live-rows.ts';
import type { SampleAnswer, SampleQuery, SampleSelect } from './protocol.ts';
import { MAX_RESULT_CHARS, type QueryContext, stream } from './query-context.ts';
import { pageStatement, type Statement } from './select-sql.ts';
import { wireValue } from './wire-value.ts';

/** After these a session reaches no file, loads nothing, and stays so. */
const SHUT = [
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

const TABLE_NAME = /^[a-z]{1,32}$/;

/**
 * Copies the first rows of a source into the table `sample` of the connection's empty database, shuts that off from all
 * else, and answers the statements one after the other.
 */
export async function askSample(context: QueryContext, query: SampleQuery, shapes: Shapes): Promise<SampleAnswer> {
  const { connection, assertWanted } = context;
  await stream(connection, sampleStatement(query, shapes));
  const [[found] = []] = await (await connection.run('SELECT count(*) FROM sample')).getRows();
  if (Number(found) > query.rows) await connection.run(`DELETE FROM sample WHERE r >= ${Math.trunc(query.rows)}`);
  for (const sql of SHUT) await connection.run(sql);
  const results: unknown[][][] = [];
  for (const select of query.selects) {
    assertWanted();
    results.push(await answer(context, select));
  }
  return { rows: Math.min(Number(found), query.rows), more: Number(found) > query.rows, results };
}

/** Makes the table of the sample and of one row more. */
function sampleStatement(query: SampleQuery, shapes: Shapes): Statement {
  const { source, fields, rows: limit } = query;
  const page = { conditions: [], order: undefined, after: undefined, maxBinaryBytes: undefined, arrow: undefined };
  const { sql, params } =
    source.files.length === 0
      ? { sql: `SELECT ${fields.map(absent).join(', ')} WHERE false`, params: [] }
      : pageStatement({ ...page, kind: 'page', source, fields, limit }, shapes, undefined);
  const named = [
    'CAST(row_number() OVER () - 1 AS INTEGER) AS r',
    ...fields.map((one, at) => `${column(one)} AS c${at}`),
  ];
  return { sql: `CREATE TABLE sample AS SELECT ${named.join(', ')} FROM (${sql}) found`, params };
}

const absent = (field: SampleQuery['fields'][number]): string =>
  `CAST(NULL AS ${sqlType(field.type)}) AS ${column(field)}`;

/** The columns of what a statement finds; none where its rows are kept. */
async function answer(context: QueryContext, { sql, maxRows, as }: SampleSelect): Promise<unknown[][]> {
  const { connection, assertWanted } = context;
  const statements = await connection.extractStatements(sql);
  const statement = statements.count === 1 ? await statements.prepare(0) : undefined;
  if (statement?.statementType !== StatementType.SELECT) {
    throw new LakehouseError('query_refused', 'Only a single SELECT is run on a sample');
  }
  if (as !== undefined) {
    if (!TABLE_NAME.test(as))
      throw new LakehouseError('query_refused', 'The rows of a statement are kept by a plain name');
    await connection.run(`CREATE TABLE ${as} AS ${sql}`);
    return [];
  }
  const result = await statement.stream();
  const columns: unknown[][] = Array.from({ length: result.columnCount }, () => []);
  const large = new LakehouseError('result_too_large', 'The answer has more rows, or larger ones, than it may');
  let rows = 0;
  let chars = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    assertWanted();
    rows += chunk.rowCount;
    if (rows > maxRows) throw large;
    for (const [at, values] of columns.entries()) {
      for (const one of chunk.getColumnValues(at)) {
        const value = wireValue(one);
        chars += typeof value === 'string' ? value.length : 1;
        values.push(value);
      }
    }
    if (chars > MAX_RESULT_CHARS) throw large;
  }
  return columns;
}
