import { stat } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { proveColumns } from './columns/prove-columns.ts';
import type { ValueFacts } from './columns/value-facts.ts';
import { type CsvDialect, headerDialect } from './csv-header.ts';
import { fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';
import { assertNoPage } from './rejects/web-page.ts';
import { headerOf } from './row-end.ts';
import { literal, pathLiteral } from './sql-text.ts';
import { withHandle } from './with-handle.ts';

/** The most columns of a file. */
export const MAX_COLUMNS = 10_000;
const MARK = /^\xef\xbb\xbf/;

/** The dialect of a file, by its header line; `csv_header_missing` when there is none. */
export async function openCsv(file: ReadyFile): Promise<CsvDialect> {
  await assertNoPage(file);
  const header = await withHandle(file.path, file.where(), headerOf);
  const line = header.line.replace(MARK, '');
  if (line.trim() === '') throw fault('csv_header_missing', file.where());
  // Only a quote that is never closed keeps a line break from ending the header.
  const isOpen = header.bytes === header.line.length && header.bytes < (await stat(file.path)).size;
  if (isOpen) throw fault('csv_quote_unclosed', file.where(1));
  if (line.includes('\0')) throw fault('csv_header_invalid', file.where());
  const dialect = headerDialect(line, file.delimiter);
  if (dialect.fields > MAX_COLUMNS) throw fault('too_many_columns', file.where());
  return dialect;
}

/** What all rows of a file say of each column; rows of a wrong width have no say, as reading reports them. */
export async function csvFacts(
  connection: DuckDBConnection,
  file: ReadyFile,
  dialect: CsvDialect,
): Promise<Map<string, ValueFacts>> {
  const names = await csvNames(connection, file, dialect);
  return proveColumns(connection, csvSql(file, dialect.delimiter, names, 'header = true, ignore_errors = true'), names);
}

/** The names of the columns in the order of the file. */
export async function csvNames(connection: DuckDBConnection, file: ReadyFile, dialect: CsvDialect): Promise<string[]> {
  const options = `ignore_errors = true, delim = ${literal(dialect.delimiter)}, quote = '"', escape = '"', header = true${breaksOf(file)}`;
  const call = `sniff_csv(${pathLiteral(file.path)}, sample_size = 1, all_varchar = true, ${options})`;
  const result = await connection.runAndReadAll(`SELECT to_json(Columns)::VARCHAR FROM ${call}`);
  return (JSON.parse(String(result.getRows()[0]?.[0])) as { name: string }[]).map(({ name }) => name);
}

/** The table expression that reads every field as text and refuses every row of another width. */
export function csvSource(file: ReadyFile, { delimiter }: CsvDialect, names: readonly string[]): string {
  return csvSql(file, delimiter, names, 'header = true');
}

/** Left to itself, DuckDB takes a quoted line break of the header for the file's own. */
function breaksOf({ isEven }: ReadyFile): string {
  return isEven ? `, new_line = '\\n'` : '';
}

function csvSql(file: ReadyFile, delimiter: string, names: readonly string[], how: string): string {
  const columns = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  const strict = 'auto_detect = false, strict_mode = true, null_padding = false, allow_quoted_nulls = false';
  const dialect = `delim = ${literal(delimiter)}, quote = '"', escape = '"'${breaksOf(file)}`;
  return `read_csv(${pathLiteral(file.path)}, ${strict}, ${dialect}, ${how}, columns = {${columns}})`;
}
