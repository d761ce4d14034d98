import type { DuckDBConnection } from '@duckdb/node-api';
import type { SourceError } from '@weir/connector-sdk';
import { type FileColumn, NO_VALUE } from './column-type.ts';
import { type CsvDialect, headerDialect } from './csv-header.ts';
import { type WidthFault, widthFault } from './duckdb-session.ts';
import { fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';
import { headerOf } from './row-end.ts';
import { identifier, literal, pathLiteral } from './sql-text.ts';
import { withHandle } from './with-handle.ts';

const ISO_DATE = '%Y-%m-%d';
/** How many rows must follow in another width to call it a change of columns, and how many are looked at. */
const MIN_CHANGED_ROWS = 2;
const MAX_CHANGED_ROWS = 1000;
/** How many rows are asked for a value before all are. */
const FIRST_ROWS = 1000;

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

/**
 * The columns of a file with the types that hold for all of its rows; text where there is no value, or no type for `asText`
 * false.
 */
export async function describeCsv(
  connection: DuckDBConnection,
  file: ReadyFile,
  dialect: CsvDialect,
  asText = true,
): Promise<FileColumn[]> {
  const { columns, date, timestamp } = await sniff(connection, file, dialect, 'sample_size = -1');
  const inexact = await inexactColumns(connection, file, dialect, columns);
  const without = asText ? new Set() : await columnsWithoutValue(connection, file, dialect, columns);
  return columns.map(({ name, type }) => {
    if (inexact.has(name)) return { name, type: 'VARCHAR' };
    if (without.has(name)) return { name, type: NO_VALUE };
    const format = type === 'DATE' ? date : type === 'TIMESTAMP' ? timestamp : null;
    const own = format !== null && format !== '' && format !== ISO_DATE;
    return own ? { name, type, format } : { name, type };
  });
}

/** The columns that DuckDB takes for doubles and that hold an integer which a double would round: ids, as a rule. */
async function inexactColumns(
  connection: DuckDBConnection,
  file: ReadyFile,
  { delimiter }: CsvDialect,
  columns: readonly FileColumn[],
): Promise<ReadonlySet<string>> {
  const doubles = columns.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name);
  if (doubles.length === 0) return new Set();
  const names = columns.map(({ name }) => name);
  const found = doubles.map((name) => {
    const raw = identifier(name);
    return `bool_or(regexp_full_match(${raw}, '-?[0-9]+') AND abs(try_cast(${raw} AS DOUBLE)) > ${Number.MAX_SAFE_INTEGER})`;
  });
  // Rows of a wrong width are for reading to report, as in `sniff`.
  const rows = csvSql(file, delimiter, names, 'header = true, ignore_errors = true');
  const result = await connection.runAndReadAll(`SELECT [${found.join(', ')}]::JSON::VARCHAR FROM ${rows}`);
  const flags = JSON.parse(String(result.getRows()[0]?.[0])) as (boolean | null)[];
  return new Set(doubles.filter((_, index) => flags[index] === true));
}

/** The columns of text that are NULL in every row. Most show a value in their first rows. */
async function columnsWithoutValue(
  connection: DuckDBConnection,
  file: ReadyFile,
  { delimiter }: CsvDialect,
  columns: readonly FileColumn[],
): Promise<ReadonlySet<string>> {
  const names = columns.map(({ name }) => name);
  const rows = csvSql(file, delimiter, names, 'header = true, ignore_errors = true');
  let left = columns.filter(({ type }) => type === 'VARCHAR').map(({ name }) => name);
  for (const part of [`(FROM ${rows} LIMIT ${FIRST_ROWS})`, rows]) {
    if (left.length === 0) break;
    const counts = left.map((name) => `count(${identifier(name)})`);
    const result = await connection.runAndReadAll(`SELECT [${counts.join(', ')}]::JSON::VARCHAR FROM ${part}`);
    const found = JSON.parse(String(result.getRows()[0]?.[0])) as number[];
    left = left.filter((_, index) => found[index] === 0);
  }
  return new Set(left);
}

/** The names of the columns in the order of the file. */
export async function csvNames(connection: DuckDBConnection, file: ReadyFile, dialect: CsvDialect): Promise<string[]> {
  const { columns } = await sniff(connection, file, dialect, 'sample_size = 1, all_varchar = true');
  return columns.map((column) => column.name);
}

type Sniffed = { readonly columns: FileColumn[]; readonly date: string | null; readonly timestamp: string | null };

/** What DuckDB makes of a file; rows of a wrong width have no say in it, as reading reports them. */
async function sniff(
  connection: DuckDBConnection,
  file: ReadyFile,
  dialect: CsvDialect,
  how: string,
): Promise<Sniffed> {
  const options = `ignore_errors = true, delim = ${literal(dialect.delimiter)}, quote = '"', escape = '"', header = true${breaksOf(file)}`;
  const call = `sniff_csv(${pathLiteral(file.path)}, ${how}, ${options})`;
  try {
    const sql = `SELECT to_json(Columns)::VARCHAR, DateFormat, TimestampFormat FROM ${call}`;
    const result = await connection.runAndReadAll(sql);
    const [columns, date, timestamp] = result.getRows()[0] as [string, string | null, string | null];
    return { columns: JSON.parse(columns) as FileColumn[], date, timestamp };
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
