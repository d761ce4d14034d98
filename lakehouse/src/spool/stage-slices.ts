import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { joinedObjectsSql } from '../stage/stage-column.ts';
import { dataFields, NOTICED, type Reading, rowsSql } from '../stage/stage-sql.ts';

/** Columns that are typed at a time. Each takes a few hundred kilobytes of vectors, whatever the number of rows. */
const SLICE_COLUMNS = 100;
const SLICE_GROUP_ROWS = 2048;
/** Columns to which each slice has something to say. */
const JOINED = ['_errors', '_extra'];

/** A query over slices, and what removes them. */
export type SlicedRows = { readonly query: string; discard(): Promise<void> };

function slicesOf(schema: TableSchema): Field[][] {
  const data = dataFields(schema);
  const joined = schema.fields.filter((field) => JOINED.includes(field.name));
  const meta = schema.fields.filter((field) => !data.includes(field) && !JOINED.includes(field.name));
  const slices: Field[][] = [];
  for (let from = 0; from < data.length; from += SLICE_COLUMNS) slices.push(data.slice(from, from + SLICE_COLUMNS));
  return slices.map((slice, at) => [...slice, ...joined, ...(at === 0 ? meta : [])]);
}

/**
 * The rows of a spool as `rowsSql` types them, for tables of so many columns that their vectors do not fit in memory at
 * once: slices of columns are typed one after the other into local files and put together again row by row. The spool
 * is read once for each slice, so this is for what fails otherwise. The connection must keep the order of rows.
 */
export async function slicedRows(session: DuckdbSession, reading: Reading, folder: string): Promise<SlicedRows> {
  const { schema, shape } = reading;
  const known = dataFields(schema).map((field) => field.name);
  const slices = slicesOf(schema);
  const discard = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = (at: number): string => join(folder, `${at}.parquet`);
  const { changes: _last, ...without } = shape;
  await mkdir(folder, { recursive: true });
  try {
    for (const [at, fields] of slices.entries()) {
      const last = at === slices.length - 1;
      const query = rowsSql({
        ...reading,
        known,
        withoutOthers: at > 0,
        shape: last ? shape : without,
        schema: { ...schema, fields },
      });
      await session.rows(
        `COPY (${query}) TO ${literal(path(at))} (FORMAT parquet, ROW_GROUP_SIZE ${SLICE_GROUP_ROWS})`,
        { ordered: true, alone: true },
      );
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const all = (name: string): string[] => slices.map((_fields, at) => `s${at}.${identifier(name)}`);
  const joinedColumns = new Map([
    ['_errors', all('_errors').reduce((joined, list) => `list_concat(${joined}, ${list})`)],
    ['_extra', extraOf(all('_extra'))],
  ]);
  const selected = schema.fields.map(({ id, name }) => {
    const at = slices.findIndex((fields) => fields.some((field) => field.id === id));
    const whole = joinedColumns.get(name);
    return whole === undefined ? `s${at}.${identifier(name)}` : `${whole} AS ${identifier(name)}`;
  });
  const joined = slices.map((_fields, at) => `read_parquet(${literal(path(at))}) s${at}`).join(' POSITIONAL JOIN ');
  return { query: `SELECT ${selected.join(', ')} FROM ${joined}`, discard };
}

/** The first slice alone looks for members that no column holds, and may only have noticed them. */
function extraOf(extras: readonly string[]): string {
  const [first = 'NULL'] = extras;
  return `if(${first} = ${literal(NOTICED)}, ${first}, ${joinedObjectsSql(extras)})`;
}
