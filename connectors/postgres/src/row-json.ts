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

/** A row as members of JSON, and the columns that cannot hold their value. */
export type RowJson = { readonly members: string[]; readonly odd: Pick<Column, 'name' | 'kind'>[] };

/**
 * The members of a row. A value that its column cannot hold is null there, and its text a member of its own. An undefined value
 * is absent.
 */
export function rowJson(
  columns: readonly Pick<Column, 'name' | 'kind'>[],
  values: readonly (Value | undefined)[],
): RowJson {
  const row: RowJson = { members: [], odd: [] };
  for (const [index, column] of columns.entries()) {
    const value = values[index];
    if (value === undefined) continue;
    const name = JSON.stringify(column.name);
    if (value === null || !isOdd(column.kind, value)) {
      row.members.push(`${name}:${valueJson(column.kind, value)}`);
      continue;
    }
    row.odd.push(column);
    row.members.push(`${name}:null,${JSON.stringify(textMember(column.name))}:${JSON.stringify(value)}`);
  }
  return row;
}

/** The RECORD line of a row. What its columns could not hold is marked, so that nobody takes the null for the source's. */
export function recordLine({ prefix, suffix }: Envelope, { members, odd }: RowJson): string {
  if (odd.length === 0) return `${prefix}{${members.join(',')}}${suffix}`;
  const changes = odd.map(({ name, kind }) => ({
    field: name,
    change: 'nulled',
    reason: `invalid_${kind.split('(')[0]}`,
  }));
  return `${prefix}{${members.join(',')}},"meta":${JSON.stringify({ changes })}${suffix}`;
}

/** The bytes around the data of a RECORD. */
export type Envelope = { readonly prefix: string; readonly suffix: string };
