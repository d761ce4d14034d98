import { type ColumnKind, hasOddValues, isDecimal } from './column-kind.ts';
import type { Value } from './csv-row.ts';
import type { Column } from './table.ts';

/** The name of the member that keeps the text of a value which its column cannot hold. */
export function textMember(column: string): string {
  return `${column}__text`;
}

const FINITE = /^-?[0-9]/;
const BEFORE_CHRIST = / BC$/;
/** The last instant that 64 bits of microseconds hold is in this year. */
const MAX_YEAR = 294_246;
const YEAR = /^(\d+)-/;

/**
 * Whether the table's type does not hold a value: an infinity, what is no number, a time before Christ, which no reader of
 * tables agrees on, or behind what 64 bits hold.
 */
export function isOdd(kind: ColumnKind, value: string): boolean {
  if (isDecimal(kind)) return !FINITE.test(value);
  if (!hasOddValues(kind)) return false;
  if (!FINITE.test(value) || BEFORE_CHRIST.test(value)) return true;
  return value.length > 10 && kind !== 'date' && Number(YEAR.exec(value)?.[1]) > MAX_YEAR;
}

/**
 * The JSON text of a value as Postgres printed it. Numbers keep their digits; decimals are texts, so that no reader rounds
 * them; times are in ISO form, UTC with Z; bytes are Base64.
 */
export function valueJson(kind: ColumnKind, value: Value): string {
  if (value === null) return 'null';
  switch (kind) {
    case 'boolean':
      return value === 't' || value === 'true' ? 'true' : 'false';
    case 'int':
    case 'long':
      return value;
    case 'float':
    case 'double':
      return FINITE.test(value) ? value : JSON.stringify(value);
    case 'timestamp':
    case 'timestamptz':
      return JSON.stringify(isOdd(kind, value) ? value : isoTime(value));
    case 'binary':
      return `"${Buffer.from(value.slice(2), 'hex').toString('base64')}"`;
    default:
      return JSON.stringify(value);
  }
}

/** A time as Postgres prints it in UTC, in ISO form. */
export function isoTime(value: string): string {
  return value.replace(' ', 'T').replace(/\+00$/, 'Z');
}

/** What a column of a row is in JSON: its member, and beside an odd value, which is null then, its text. */
export function memberJson({ name, kind }: Pick<Column, 'name' | 'kind'>, value: Value): string {
  const own = JSON.stringify(name);
  if (value === null || !isOdd(kind, value)) return `${own}:${valueJson(kind, value)}`;
  return `${own}:${JSON.stringify(value)},${JSON.stringify(textMember(name))}:${JSON.stringify(value)}`;
}
