import type { DuckDBConnection } from '@duckdb/node-api';
import type { JsonSchema } from '@weir/connector-sdk';
import { typedJson } from './columns/column-json.ts';
import { columnSchema, type FileColumn, widerSchema } from './columns/column-type.ts';
import type { ValueFacts } from './columns/value-facts.ts';
import { MAX_COLUMNS } from './csv-file.ts';
import { withDuckdb } from './duckdb-session.ts';
import { fault } from './fault.ts';
import type { Columns, FileReading } from './file-reading.ts';
import { readJson } from './json-file.ts';
import { describeParquet, parquetSource } from './parquet-file.ts';
import type { ReadyFile } from './ready-file.ts';
import { linesSql } from './rows/lines-sql.ts';
import { describeCsv, readCsv } from './rows/read-csv.ts';
import { assertRelated } from './rows/related-file.ts';
import { sendParquet } from './send-segments.ts';
import { streamLines } from './stream-lines.ts';

/** What a file says of its columns: the types that a Parquet file has, and what the values of others have in common. */
export type FileColumns =
  | { readonly declared: ReadonlyMap<string, JsonSchema> }
  | { readonly facts: ReadonlyMap<string, ValueFacts> };

/** The columns of one CSV or Parquet file. */
export async function describeFile(file: ReadyFile): Promise<FileColumns> {
  const found = file.format === 'parquet' ? await declaredColumns(file) : { facts: await describeCsv(file) };
  const { size } = 'facts' in found ? found.facts : found.declared;
  if (size > MAX_COLUMNS) throw fault('too_many_columns', file.where());
  return found;
}

async function declaredColumns(file: ReadyFile): Promise<FileColumns & { declared: unknown }> {
  const columns = await withDuckdb(file, (connection) => describeParquet(connection, file));
  return { declared: new Map(columns.map((column) => [column.name, columnSchema(column)])) };
}

/**
 * Sends one file's rows: as Parquet files where that is asked for and worth it, else as finished RECORD lines; readers
 * find the same values in both. Columns that the stream lacks go along. Refuses a CSV or Parquet file that has no column
 * of the stream, and a Parquet file whose values a column cannot hold (`schema_changed`), before its first row.
 */
export async function readFile(file: ReadyFile, reading: FileReading): Promise<void> {
  if (file.format === 'json' || file.format === 'jsonl') await readJson(file, reading);
  else if (file.format === 'csv') await readCsv(file, reading);
  else await withDuckdb(file, (connection) => readParquet(connection, file, reading));
}

async function readParquet(connection: DuckDBConnection, file: ReadyFile, reading: FileReading): Promise<void> {
  const found = await describeParquet(connection, file);
  assertRelated(
    file,
    found.map((column) => column.name),
    reading.columns,
  );
  const fits = ({ name, ...column }: FileColumn) => {
    const known = schemaOf(reading.columns, name);
    if (known === undefined) return true;
    return JSON.stringify(widerSchema(known, columnSchema({ name, ...column }))) === JSON.stringify(known);
  };
  // Text holds every value, but for a column that was exact until now it would be another column.
  if (!found.every((column) => fits(column))) throw fault('schema_changed', file.where());
  if (await sendParquet(connection, file, reading)) return;
  const values = found.map(({ name, type }) => ({ name, json: typedJson(name, type) }));
  await streamLines(connection, linesSql(values, parquetSource(file), reading), reading.onLines, reading.signal);
}

const schemaOf = (columns: Columns, name: string) => (Object.hasOwn(columns, name) ? columns[name] : undefined);
