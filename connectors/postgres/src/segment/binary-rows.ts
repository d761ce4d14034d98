import { identifier } from '../sql-text.ts';
import type { Column } from '../table.ts';
import { columnPlace, type Rows } from './binary-block.ts';
import { binaryText } from './binary-text.ts';

/** Types whose binary form is their text, in the encoding of the session, as they are named when nothing else is. */
const AS_BYTES = /^(?:text|character varying|character|json)(?:\(\d+\))?$/;
const JSONB = 'jsonb';

/** Whether a column comes as `jsonb`, which has its version before its text. */
export function isJsonb({ kind, type }: Pick<Column, 'kind' | 'type'>): boolean {
  return kind === 'json' && type === JSONB;
}

/**
 * What is asked of the server for a column. A kind with a form of its own comes in that; what travels as text, and is of a
 * type whose binary form is another, as the text that the server prints.
 */
export function binarySql({ name, kind, type }: Column): string {
  const column = identifier(name);
  if ((kind !== 'text' && kind !== 'json') || AS_BYTES.test(type) || isJsonb({ kind, type })) return column;
  // A row of NULLs is not NULL, though it says so when it is asked whether it is.
  return `CASE WHEN ${column} IS DISTINCT FROM NULL THEN pg_catalog.format('%s', ${column}) END`;
}

/** The values of the row whose numbers begin at a place, as Postgres prints them; null for NULL. */
export function rowTexts(columns: readonly Column[], rows: Rows, row: number): (string | null)[] {
  return columns.map((column, index) => {
    const place = row + columnPlace(index);
    const [at = 0, length = 0] = rows.places.subarray(place, place + 2);
    return length < 0 ? null : binaryText(column.kind, isJsonb(column), rows, at, length);
  });
}
