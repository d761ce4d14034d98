import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonSchema, SourceError } from '@weir/connector-sdk';
import { fieldJson, fieldText } from '../columns/column-json.ts';
import { factsSchema, settledColumns } from '../columns/column-type.ts';
import type { ValueFacts } from '../columns/value-facts.ts';
import { csvFacts, csvNames, csvSource, openCsv } from '../csv-file.ts';
import { withDuckdb } from '../duckdb-session.ts';
import type { Columns, FileReading } from '../file-reading.ts';
import type { ReadyFile } from '../ready-file.ts';
import { type Rejects, rejectLines } from '../rejects/reject-lines.ts';
import { type Parting, siftCsv } from '../rejects/sift-csv.ts';
import { sendCsv } from '../send-segments.ts';
import { identifier } from '../sql-text.ts';
import { streamLines } from '../stream-lines.ts';
import { WIDE_COLUMNS } from '../wide/column-slices.ts';
import { describeWide, readWide, wideNames } from '../wide/wide-csv.ts';
import { linesSql } from './lines-sql.ts';
import { assertRelated } from './related-file.ts';

/** What DuckDB refuses a file for when a line of it is no row. */
const LINE_FAULTS = new Set(['csv_invalid', 'csv_quote_unclosed', 'csv_row_too_long', 'encoding_invalid']);

const isLineFault = (error: unknown) => error instanceof SourceError && LINE_FAULTS.has(error.code);

/** What the rows of a CSV file say of its columns; lines that are no rows have no say. */
export async function describeCsv(file: ReadyFile): Promise<Map<string, ValueFacts>> {
  const dialect = await openCsv(file);
  if (dialect.fields > WIDE_COLUMNS) return describeWide(file, dialect);
  const described = (ready: ReadyFile) =>
    withDuckdb(ready, async (connection) => csvFacts(connection, ready, await openCsv(ready)));
  if (file.isDamaged !== true) {
    try {
      const columns = await described(file);
      // Where no line fits the header, looking at each says what is wrong.
      if ([...columns.values()].some(({ kind }) => kind !== 'none')) return columns;
    } catch (error) {
      if (!isLineFault(error)) throw error;
    }
  }
  let columns = new Map<string, ValueFacts>();
  const parting = { partBytes: Number.MAX_SAFE_INTEGER, onRejected: async () => undefined };
  await eachPart(file, parting, async (part) => {
    columns = await described(part);
  });
  return columns;
}

/**
 * Sends the rows of a CSV file, and its lines that are no rows to quarantine. DuckDB reads the file as it is; where it finds
 * a line that is no row, the rows that were not given yet are read from clean copies.
 */
export async function readCsv(file: ReadyFile, reading: FileReading): Promise<void> {
  const rejects = rejectLines(file, reading);
  const dialect = await openCsv(file);
  if (dialect.fields > WIDE_COLUMNS) {
    const names = await wideNames(file, dialect);
    const schemas = await schemasOf(file, names, { ...reading, ownColumns: () => describeWide(file, dialect) });
    await readWide(file, reading, { dialect, schemas, onRejected: rejects.put });
  } else await readNarrow(file, reading, rejects);
  await rejects.end();
}

async function readNarrow(file: ReadyFile, reading: FileReading, rejects: Rejects): Promise<void> {
  let given = 0;
  const counted: FileReading = {
    ...reading,
    async onLines(lines, count) {
      await reading.onLines(lines, count);
      given += count;
    },
  };
  if (file.isDamaged !== true) {
    try {
      return await readClean(file, counted, file);
    } catch (error) {
      if (!isLineFault(error)) throw error;
    }
  }
  await eachPart(file, { given, onRejected: rejects.put }, (part) => readClean(part, reading, file));
}

/** Lets `use` have the clean parts of a file with the rows that fit its header. */
async function eachPart(
  file: ReadyFile,
  parting: Omit<Parting, 'dialect' | 'folder'>,
  use: (part: ReadyFile) => Promise<void>,
): Promise<void> {
  const dialect = await openCsv(file);
  const folder = await mkdtemp(join(tmpdir(), 'rows-'));
  try {
    for await (const part of siftCsv(file, { ...parting, dialect, folder })) {
      await use(part);
      await rm(part.path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends a file all of whose lines are rows. `whole` is the file that it is a part of. */
async function readClean(file: ReadyFile, reading: FileReading, whole: ReadyFile): Promise<void> {
  const { columns, onLines, signal } = reading;
  await withDuckdb(file, async (connection) => {
    const dialect = await openCsv(file);
    const names = await csvNames(connection, file, dialect);
    const ownColumns = async () => (file === whole ? csvFacts(connection, file, dialect) : describeCsv(whole));
    const schemas = await schemasOf(file, names, { columns, ownColumns });
    const isKnown = names.every((name) => schemaOf(columns, name) !== undefined);
    const source = csvSource(file, dialect, names);
    const texts = schemas.map(({ name, schema }) => `${fieldText(name, schema)} AS ${identifier(name)}`);
    const query = `SELECT ${texts.join(', ')} FROM ${source}`;
    // A segment has texts alone, which would make every new column one of text.
    if (isKnown && (await sendCsv(connection, file, { ...reading, query }))) return;
    const values = schemas.map(({ name, schema }) => ({ name, json: fieldJson(name, schema) }));
    await streamLines(connection, linesSql(values, source, reading), onLines, signal);
  });
}

type Known = Pick<FileReading, 'columns'> & { readonly ownColumns: () => Promise<Map<string, ValueFacts>> };

/** The columns of a file by those of its stream; ones that the stream lacks are typed as they would be at discovery. */
async function schemasOf(file: ReadyFile, names: readonly string[], { columns, ownColumns }: Known) {
  assertRelated(file, names, columns);
  const isKnown = names.every((name) => schemaOf(columns, name) !== undefined);
  const facts = isKnown ? new Map<string, ValueFacts>() : await ownColumns();
  const own = settledColumns(new Map([...facts].map(([name, found]) => [name, factsSchema(found)])));
  return names.map((name) => ({ name, schema: schemaOf(columns, name) ?? own.get(name) ?? {} }));
}

const schemaOf = (columns: Columns, name: string): JsonSchema | undefined =>
  Object.hasOwn(columns, name) ? columns[name] : undefined;
