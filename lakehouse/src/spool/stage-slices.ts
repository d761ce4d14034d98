import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { joinColumns } from '@weir/parquet';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { fieldIdsLiteral, identifier, literal } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { type CopyStats, leaves } from '../manifest/stats.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { joinedObjectsSql } from '../stage/stage-column.ts';
import { dataFields, NOTICED, type Reading, rowsSql } from '../stage/stage-sql.ts';
import { SLICE_FIELDS } from '../stage/wide-figures.ts';

/** All slices have row groups of so many rows, so that their columns fit together. */
const SLICE_GROUP_ROWS = 2048;
/** Columns to which each slice has something to say. */
const JOINED = ['_errors', '_extra'];

/** Slices of the columns of some rows, each a local file with figures of its own. */
type Slice = { readonly fields: readonly Field[]; readonly path: string; readonly stats: CopyStats };

function slicesOf(schema: TableSchema): Field[][] {
  const data = dataFields(schema);
  const joined = schema.fields.filter((field) => JOINED.includes(field.name));
  const meta = schema.fields.filter((field) => !data.includes(field) && !JOINED.includes(field.name));
  const slices: Field[][] = [];
  for (let from = 0; from < data.length; from += SLICE_FIELDS) slices.push(data.slice(from, from + SLICE_FIELDS));
  return slices.map((slice, at) => [...slice, ...joined, ...(at === 0 ? meta : [])]);
}

/**
 * Types the rows of a spool as `rowsSql` does, for tables of so many columns that their vectors do not fit in memory at
 * once: slices of columns are typed one after the other into files, whose columns are then put side by side in one data
 * file, or written by `use` where a spec divides the rows. The spool is read once for each slice.
 */
export async function withSlices<T>(
  session: DuckdbSession,
  { reading, folder }: { readonly reading: Reading; readonly folder: string },
  use: (slices: readonly Slice[]) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true });
  try {
    const slices: Slice[] = [];
    const parts = slicesOf(reading.schema);
    for (const [at, fields] of parts.entries()) {
      slices.push(await typeSlice(session, reading, { fields, at, isLast: at === parts.length - 1, folder }));
    }
    return await use(slices);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type SlicePlan = {
  readonly fields: readonly Field[];
  readonly at: number;
  readonly isLast: boolean;
  readonly folder: string;
};

async function typeSlice(
  session: DuckdbSession,
  reading: Reading,
  { fields, at, isLast, folder }: SlicePlan,
): Promise<Slice> {
  const { schema, shape } = reading;
  const { changes: _last, ...without } = shape;
  const path = join(folder, `${at}.parquet`);
  const query = rowsSql({
    ...reading,
    known: dataFields(schema).map((field) => field.name),
    withoutOthers: at > 0,
    shape: isLast ? shape : without,
    schema: { ...schema, fields },
  });
  return { fields, path, stats: await copyWhole(session, { query, fields, path }) };
}

async function copyWhole(
  session: DuckdbSession,
  { query, fields, path }: { readonly query: string; readonly fields: readonly Field[]; readonly path: string },
): Promise<CopyStats> {
  const copy = `COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
    ROW_GROUP_SIZE ${SLICE_GROUP_ROWS}, FIELD_IDS ${fieldIdsLiteral(fields)}, RETURN_STATS)`;
  const [stats] = await session.rows<CopyStats>(copy, { ordered: true, alone: true });
  if (stats === undefined) throw new LakehouseError('stage_failed', 'A slice of columns has no figures');
  return stats;
}

/** Puts the columns of slices side by side in one file, and gives its figures. */
export async function joinSlices(
  session: DuckdbSession,
  slices: readonly Slice[],
  { schema, path }: { readonly schema: TableSchema; readonly path: string },
): Promise<CopyStats> {
  const fields = schema.fields.filter(({ name }) => JOINED.includes(name));
  const joined: Slice[] = [];
  if (fields.length > 0) {
    const own = `${path}.joined`;
    const query = joinedSql(slices, fields);
    joined.push({ fields, path: own, stats: await copyWhole(session, { query, fields, path: own }) });
  }
  const namesOf = (slice: Slice) => slice.fields.map(({ name }) => name);
  const taken = [
    ...slices.map((slice) => ({ slice, names: new Set(namesOf(slice).filter((name) => !JOINED.includes(name))) })),
    ...joined.map((slice) => ({ slice, names: new Set(namesOf(slice)) })),
  ];
  const bytes = await joinColumns(
    taken.map(({ slice, names }) => ({ path: slice.path, columns: names })),
    path,
  );
  for (const one of joined) await rm(one.path);
  const columns = taken.flatMap(({ slice, names }) => {
    const keys = new Set(leaves({ ...schema, fields: slice.fields.filter(({ name }) => names.has(name)) }).keys());
    return slice.stats.column_statistics.filter(({ key }) => keys.has(key));
  });
  const count = slices[0]?.stats.count ?? '0';
  return { filename: path, count, file_size_bytes: String(bytes), column_statistics: columns };
}

/** A query over slices with all columns of a schema. */
export function slicedSql(slices: readonly Slice[], schema: TableSchema): string {
  return joinedSql(slices, schema.fields);
}

function joinedSql(slices: readonly Slice[], fields: readonly Field[]): string {
  const all = (name: string): string[] => slices.map((_slice, at) => `s${at}.${identifier(name)}`);
  const whole = new Map<string, () => string>([
    ['_errors', () => all('_errors').reduce((list, own) => `list_concat(${list}, ${own})`)],
    ['_extra', () => extraOf(all('_extra'))],
  ]);
  const selected = fields.map(({ id, name }) => {
    const at = slices.findIndex((slice) => slice.fields.some((field) => field.id === id));
    const joined = whole.get(name);
    return joined === undefined ? `s${at}.${identifier(name)}` : `${joined()} AS ${identifier(name)}`;
  });
  const from = slices.map(({ path }, at) => `read_parquet(${literal(path)}) s${at}`).join(' POSITIONAL JOIN ');
  return `SELECT ${selected.join(', ')} FROM ${from}`;
}

/** The first slice alone looks for members that no column holds, and may only have noticed them. */
function extraOf(extras: readonly string[]): string {
  const [first = 'NULL'] = extras;
  return `if(${first} = ${literal(NOTICED)}, ${first}, ${joinedObjectsSql(extras)})`;
}
