import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { RESULT } from './run-checks.ts';
import type { RunSelectRequest, SelectWithin } from './select-types.ts';

/** Holds the values that may have changed, under the types that the statement gives them. */
const TOUCHED = 'weir_touched';

const named = ({ columns }: SelectWithin): string[] => columns.map(identifier);

/** Keeps the values that a statement has over the rows that changed. */
export function touchedSql(sql: string, within: SelectWithin): string {
  return `CREATE TEMP TABLE ${TOUCHED} AS SELECT DISTINCT ${named(within).join(', ')} FROM (\n${sql}\n)`;
}

/** The rows of a statement, or those with values that may have changed. */
export function restrictedSql(sql: string, within: SelectWithin | undefined): string {
  if (within === undefined) return `(\n${sql}\n)`;
  const same = named(within).map((name) => `r.${name} IS NOT DISTINCT FROM t.${name}`);
  return `(SELECT r.* FROM (\n${sql}\n) r SEMI JOIN ${TOUCHED} t ON ${same.join(' AND ')})`;
}

/** Rows of the columns alone: the values that may have changed and that a result does not have. */
export function goneOf({ schema, within, folder, spec }: RunSelectRequest) {
  const wanted = new Set(within?.columns.map((name) => name.toLowerCase()));
  const fields = schema.fields.filter(({ name }) => wanted.has(name.toLowerCase()));
  const cast = ({ name, type }: Field) => `CAST(t.${identifier(name)} AS ${sqlType(type)})`;
  const columns = fields.map((field) => `${cast(field)} AS ${identifier(field.name)}`);
  const same = fields.map((field) => `${cast(field)} IS NOT DISTINCT FROM r.${identifier(field.name)}`);
  const query = `SELECT ${columns.join(', ')} FROM ${TOUCHED} t ANTI JOIN ${RESULT} r ON ${same.join(' AND ')}`;
  const ofColumns: TableSchema = { ...schema, fields };
  return { query, schema: ofColumns, folder, ...(spec && { spec }) };
}
