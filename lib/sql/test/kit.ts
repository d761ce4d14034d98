import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

let connection: Promise<DuckDBConnection> | undefined;

/** The one session of a test file: in memory, single-threaded. */
export const session = (): Promise<DuckDBConnection> =>
  (connection ??= DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect()));

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** What DuckDB reads in a text, with or without the members that have default values. */
export async function parse(sql: string, full = false): Promise<unknown> {
  const brief = full ? '' : ', skip_null := true, skip_empty := true, skip_default := true';
  const reader = await (await session()).runAndReadAll(`select json_serialize_sql(${quoted(sql)}${brief})::varchar`);
  return JSON.parse(String(reader.getRows()[0]?.[0]));
}

export async function rows(sql: string): Promise<unknown[][]> {
  return (await (await session()).runAndReadAll(sql)).getRowsJson();
}
