import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal, sqlType } from '../duckdb/duckdb-sql.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { WRITTEN } from './run-checks.ts';
import type { RunSelectRequest, SelectWithin } from './select-types.ts';

/** Holds the values that may have changed, under the types that the statement gives them. */
const TOUCHED = 'weir_touched';

const named = ({ columns }: SelectWithin): string[] => columns.map(identifier);

/** Keeps the values that a statement has over the rows that changed. */
export function touchedSql(sql: string, within: SelectWithin): string {
  return `CREATE TEMP TABLE ${TOUCHED} AS SELECT DISTINCT ${named(within).join(', ')} FROM (\n${sql}\n)`;
}

/** Longer texts, and those that a statement cannot hold, bound nothing. */
const MAX_BOUND_CHARS = 1_000;
const isPlain = (text: string | null | undefined): text is string =>
  text != null && text.length <= MAX_BOUND_CHARS && !text.includes('\0');

/**
 * Between which values lie those that may have changed. DuckDB takes a comparison with constants below windows and groups, and
 * leaves out parts of files by it; the join that follows it takes neither, and says which rows are meant.
 */
async function boundsSql(session: DuckdbSession, { columns }: SelectWithin): Promise<string> {
  const bounds: string[] = [];
  for (const name of columns.map(identifier)) {
    const ends = `min(${name})::VARCHAR AS least, max(${name})::VARCHAR AS most, any_value(typeof(${name})) AS type`;
    const [found] = await session.rows<Record<'least' | 'most' | 'type', string | null>>(
      `SELECT ${ends} FROM ${TOUCHED} WHERE (SELECT count(*) FROM ${TOUCHED} WHERE ${name} IS NULL) = 0`,
    );
    const { least, most, type } = found ?? {};
    if (!isPlain(least) || !isPlain(most)) continue;
    bounds.push(`r.${name} BETWEEN CAST(${literal(least)} AS ${type}) AND CAST(${literal(most)} AS ${type})`);
  }
  return bounds.length === 0 ? '' : ` WHERE ${bounds.join(' AND ')}`;
}

/** The rows of a statement, or those with values that may have changed. */
export async function restrictedSql(
  session: DuckdbSession,
  sql: string,
  within: SelectWithin | undefined,
): Promise<string> {
  if (within === undefined) return `(\n${sql}\n)`;
  const same = named(within).map((name) => `r.${name} IS NOT DISTINCT FROM t.${name}`);
  const joined = `r SEMI JOIN ${TOUCHED} t ON ${same.join(' AND ')}`;
  return `(SELECT r.* FROM (\n${sql}\n) ${joined}${await boundsSql(session, within)})`;
}

/** The values that may have changed under the types of the table, for these of its columns. */
const touched = ({ name, type }: Field): string => `CAST(t.${identifier(name)} AS ${sqlType(type)})`;

function fieldsOf({ schema }: RunSelectRequest, columns: readonly string[] = []): Field[] {
  const wanted = new Set(columns.map((name) => name.toLowerCase()));
  return schema.fields.filter(({ name }) => wanted.has(name.toLowerCase()));
}

/** Rows of the columns alone: the values that may have changed and that no written row has. */
export function goneOf(request: RunSelectRequest) {
  const { schema, within, folder, spec } = request;
  const fields = fieldsOf(request, within?.columns);
  const columns = fields.map((field) => `${touched(field)} AS ${identifier(field.name)}`);
  const same = fields.map((field) => `${touched(field)} IS NOT DISTINCT FROM r.${identifier(field.name)}`);
  const query = `SELECT ${columns.join(', ')} FROM ${TOUCHED} t ANTI JOIN ${WRITTEN} r ON ${same.join(' AND ')}`;
  const ofColumns: TableSchema = { ...schema, fields };
  return { query, schema: ofColumns, folder, ...(spec && { spec }) };
}

/** The rows of the table that stay beside the written ones; `rows` are all of them. */
export function keptSql(request: RunSelectRequest, all: string): string {
  const { schema, within, onto } = request;
  const rows = onto?.goes === undefined ? all : `SELECT * FROM (${all}) WHERE coalesce(NOT (${onto.goes}), true)`;
  const columns = schema.fields.map(({ name }) => identifier(name)).join(', ');
  const replaced = fieldsOf(request, onto?.replaces);
  if (replaced.length === 0) return `SELECT ${columns} FROM (${rows})`;
  const same = replaced.map((field) => `${touched(field)} IS NOT DISTINCT FROM p.${identifier(field.name)}`);
  const changed = within === undefined ? WRITTEN : TOUCHED;
  return `SELECT ${columns} FROM (${rows}) p ANTI JOIN ${changed} t ON ${same.join(' AND ')}`;
}
