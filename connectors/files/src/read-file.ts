import { type JsonSchema, recordEnvelope } from '@weir/connector-sdk';
import { fieldJson, fieldText, typedJson } from './columns/column-json.ts';
import { columnSchema, type FileColumn, factsSchema, settledColumns, widerSchema } from './columns/column-type.ts';
import type { ValueFacts } from './columns/value-facts.ts';
import { csvFacts, csvNames, csvSource, explainWidth, MAX_COLUMNS, openCsv } from './csv-file.ts';
import type { CsvDialect } from './csv-header.ts';
import { withDuckdb } from './duckdb-session.ts';
import { fault } from './fault.ts';
import type { Columns, FileReading } from './file-reading.ts';
import { readJson } from './json-file.ts';
import { describeParquet, parquetSource } from './parquet-file.ts';
import type { ReadyFile } from './ready-file.ts';
import { sendCsv, sendParquet } from './send-segments.ts';
import { identifier, literal } from './sql-text.ts';
import { streamLines } from './stream-lines.ts';

/** What a file says of its columns: the types that a Parquet file has, and what the values of others have in common. */
export type FileColumns =
  | { readonly declared: ReadonlyMap<string, JsonSchema> }
  | { readonly facts: ReadonlyMap<string, ValueFacts> };

/** The columns of one CSV or Parquet file. */
export async function describeFile(file: ReadyFile): Promise<FileColumns> {
  const found = await withDuckdb(file, async (connection): Promise<FileColumns> => {
    if (file.format !== 'parquet') return { facts: await csvFacts(connection, file, await openCsv(file)) };
    const columns = await describeParquet(connection, file);
    return { declared: new Map(columns.map((column) => [column.name, columnSchema(column)])) };
  });
  const { size } = 'facts' in found ? found.facts : found.declared;
  if (size > MAX_COLUMNS) throw fault('too_many_columns', file.where());
  return found;
}

/**
 * Sends one file's rows: as Parquet files where that is asked for and worth it, else as finished RECORD lines; readers
 * find the same values in both. Columns that the stream lacks go along. Refuses a CSV or Parquet file that has no column
 * of the stream, and a Parquet file whose values a column cannot hold (`schema_changed`), before its first row.
 */
export async function readFile(file: ReadyFile, reading: FileReading): Promise<void> {
  if (file.format === 'json' || file.format === 'jsonl') await readJson(file, reading);
  else {
    await withDuckdb(file, (connection) =>
      file.format === 'parquet' ? readParquet(connection, file, reading) : readCsv(connection, file, reading),
    );
  }
}

type Connection = Parameters<typeof streamLines>[0];

async function readParquet(connection: Connection, file: ReadyFile, reading: FileReading): Promise<void> {
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

async function readCsv(connection: Connection, file: ReadyFile, reading: FileReading): Promise<void> {
  const dialect = await openCsv(file);
  const names = await csvNames(connection, file, dialect);
  assertRelated(file, names, reading.columns);
  const isKnown = names.every((name) => schemaOf(reading.columns, name) !== undefined);
  const own = isKnown ? {} : await ownColumns(connection, file, dialect);
  const schemas = names.map((name) => ({ name, schema: schemaOf(reading.columns, name) ?? own[name] ?? {} }));
  const values = schemas.map(({ name, schema }) => ({ name, json: fieldJson(name, schema) }));
  const source = csvSource(file, dialect, names);
  try {
    const texts = schemas.map(({ name, schema }) => `${fieldText(name, schema)} AS ${identifier(name)}`);
    const query = `SELECT ${texts.join(', ')} FROM ${source}`;
    // A segment has texts alone, which would make every new column one of text.
    if (isKnown && (await sendCsv(connection, file, { ...reading, query }))) return;
    const sql = linesSql(values, source, reading);
    await streamLines(connection, sql, reading.onLines, reading.signal);
  } catch (error) {
    throw (await explainWidth(connection, file, dialect, error)) ?? error;
  }
}

/** The query whose one column is the finished line: constant pieces, values as JSON text between them. */
function linesSql(
  values: readonly { readonly name: string; readonly json: string }[],
  source: string,
  { stream, emittedAt }: FileReading,
): string {
  const { prefix, suffix } = recordEnvelope(stream, emittedAt);
  const pieces = values.flatMap(({ name, json }, index) => [
    literal(`${index === 0 ? `${prefix}{` : ','}${JSON.stringify(name)}:`),
    `coalesce(${json}, 'null')`,
  ]);
  return `SELECT concat(${pieces.join(', ')}, ${literal(`}${suffix}`)}) FROM ${source}`;
}

/** The columns of a CSV file that has some which the stream lacks: these are typed as they would be at discovery. */
async function ownColumns(connection: Connection, file: ReadyFile, dialect: CsvDialect): Promise<Columns> {
  const facts = await csvFacts(connection, file, dialect);
  return Object.fromEntries(settledColumns(new Map([...facts].map(([name, found]) => [name, factsSchema(found)]))));
}

const schemaOf = (columns: Columns, name: string) => (Object.hasOwn(columns, name) ? columns[name] : undefined);

/** A file without any column of the stream is one of something else, or lacks its header: no name of it may become a column. */
function assertRelated(file: ReadyFile, names: readonly string[], columns: Columns): void {
  const isRelated = names.some((name) => Object.hasOwn(columns, name));
  if (!isRelated && Object.keys(columns).length > 0) throw fault('schema_changed', file.where());
}
