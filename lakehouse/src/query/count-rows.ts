import { addChecksums, NO_ROWS_CHECKSUM, rowChecksumSql } from '../duckdb/checksum.ts';
import { identifier } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import { column, liveRowsSql, type Shapes } from '../rows/live-rows.ts';
import type { Field } from '../schema/types.ts';
import type { FiguresQuery } from './protocol.ts';
import { type Statement, whereOf } from './select-sql.ts';

/** What is counted of rows, from the files alone. */
export type RowFigures = {
  readonly rows: number;
  /** Rows with at least one entry in `_errors`. */
  readonly rowsWithErrors: number;
  /** In the form of `rowChecksumSql`. */
  readonly checksum: string;
};

export const NO_FIGURES: RowFigures = { rows: 0, rowsWithErrors: 0, checksum: NO_ROWS_CHECKSUM };

/** Rows, rows with errors, and the checksum of the rows that fit, by the names and types of a schema. */
export function figuresStatement({ source, schema, conditions }: FiguresQuery, shapes: Shapes): Statement {
  const { filter, params } = whereOf(conditions);
  const named = schema.fields.map((field) => `${column(field)} AS ${identifier(field.name)}`);
  const errors = schema.fields.find(isErrors);
  const marked = errors === undefined ? '0' : `count(*) FILTER (len(${identifier(errors.name)}) > 0)`;
  const rows = `SELECT ${named.join(', ')} FROM (${liveRowsSql(source, schema.fields, shapes)}) found${filter}`;
  return { sql: `SELECT count(*), ${marked}, ${rowChecksumSql(schema)} FROM (${rows})`, params };
}

function isErrors({ name, type }: Field): boolean {
  return name === '_errors' && typeof type !== 'string' && type.type === 'list';
}

/** The figures of two sets of rows together. */
export function addFigures(a: RowFigures, b: RowFigures): RowFigures {
  const checksum = addChecksums(a.checksum, b.checksum);
  if (checksum === undefined) throw new LakehouseError('query_failed', 'Two checksums are of different kinds');
  return { rows: a.rows + b.rows, rowsWithErrors: a.rowsWithErrors + b.rowsWithErrors, checksum };
}

/** Files that are counted by one statement, and fetched for it. */
const FILES_AT_ONCE = 64;
/** Bytes of data files that are fetched for one statement, if they are more than one file. */
const BYTES_AT_ONCE = 1024 * 1024 * 1024;

/** Files in parts that can be counted one by one: few enough that their local copies are few too. */
export function parts(files: readonly LiveFile[]): LiveFile[][] {
  const found: LiveFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Number(file.sizeBytes);
    const part = found.at(-1);
    if (part === undefined || part.length >= FILES_AT_ONCE || bytes + size > BYTES_AT_ONCE) {
      found.push([file]);
      bytes = size;
    } else {
      part.push(file);
      bytes += size;
    }
  }
  return found;
}
