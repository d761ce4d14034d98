import type { DuckDBConnection } from '@duckdb/node-api';
import type { SourceError } from '@weir/connector-sdk';
import { proveColumns } from './columns/prove-columns.ts';
import type { ValueFacts } from './columns/value-facts.ts';
import { type CsvDialect, headerDialect } from './csv-header.ts';
import { type WidthFault, widthFault } from './duckdb-session.ts';
import { fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';
import { headerOf } from './row-end.ts';
import { literal, pathLiteral } from './sql-text.ts';
import { withHandle } from './with-handle.ts';

/** How many rows must follow in another width to call it a change of columns, and how many are looked at. */
const MIN_CHANGED_ROWS = 2;
const MAX_CHANGED_ROWS = 1000;

/** The most columns of a file. */
export const MAX_COLUMNS = 10_000;
const MARK = /^\xef\xbb\xbf/;

/** The dialect of a file, by its header line; `csv_header_missing` when there is none. */
export async function openCsv(file: ReadyFile): Promise<CsvDialect> {
  const header = await withHandle(file.path, file.where(), headerOf);
  const line = header.line.replace(MARK, '');
  if (line.trim() === '') throw fault('csv_header_missing', file.where());
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
  try {
    const result = await connection.runAndReadAll(`SELECT to_json(Columns)::VARCHAR FROM ${call}`);
    return (JSON.parse(String(result.getRows()[0]?.[0])) as { name: string }[]).map(({ name }) => name);
  } catch (error) {
    await readThrough(connection, file, dialect);
    throw error;
  }
}

/** Reads a file that cannot be sniffed for the one purpose of the exact error that it gives. */
async function readThrough(connection: DuckDBConnection, file: ReadyFile, dialect: CsvDialect): Promise<void> {
  const names = Array.from({ length: dialect.fields }, (_, index) => `c${index}`);
  try {
    await connection.runAndReadAll(
      `SELECT count(*), ${names.map((name) => `max(${name})`).join(', ')} FROM ${csvSource(file, dialect, names)}`,
    );
  } catch (error) {
    throw (await explainWidth(connection, file, dialect, error)) ?? error;
  }
}

/** The table expression that reads every field as text and refuses every row of another width. */
export function csvSource(file: ReadyFile, { delimiter }: CsvDialect, names: readonly string[]): string {
  return csvSql(file, delimiter, names, 'header = true');
}

/**
 * What a row of a wrong width means: when all that follows has that width too, the columns changed; else it is the
 * one row. Undefined when the error is about something else.
 */
export async function explainWidth(
  connection: DuckDBConnection,
  file: ReadyFile,
  dialect: CsvDialect,
  error: unknown,
): Promise<SourceError | undefined> {
  const width = widthFault(error);
  if (width === undefined) return undefined;
  const where = file.where(width.line);
  if (await changesThere(connection, file, dialect, width)) return fault('schema_changed_in_file', where);
  return fault(width.found > width.expected ? 'csv_row_too_wide' : 'csv_row_too_short', where);
}

async function changesThere(
  connection: DuckDBConnection,
  file: ReadyFile,
  { delimiter }: CsvDialect,
  { line, found }: WidthFault,
): Promise<boolean> {
  const names = Array.from({ length: found }, (_, index) => `c${index}`);
  const rest = csvSql(file, delimiter, names, `header = false, skip = ${line - 1}`);
  try {
    const result = await connection.runAndReadAll(`SELECT count(*) FROM (FROM ${rest} LIMIT ${MAX_CHANGED_ROWS})`);
    return Number(result.getRows()[0]?.[0]) >= MIN_CHANGED_ROWS;
  } catch {
    return false;
  }
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
