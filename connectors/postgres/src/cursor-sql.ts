import { isTimeKind } from './cursor-column.ts';
import type { CursorState } from './cursor-state.ts';
import { identifier, literal } from './sql-text.ts';
import type { Column } from './table.ts';

/** What a read by cursor goes by. */
export type CursorPlan = {
  readonly from: string;
  readonly cursor: Column;
  readonly key: readonly Column[];
  readonly state: CursorState | undefined;
  /** The greatest value when the read began. */
  readonly bound: string;
  readonly lookbackSeconds: number;
  /** Rows that had the state's value of the cursor when a read without key began. */
  readonly tiesNow: number;
};

const typed = (value: string, { type }: Column) => `${literal(value)}::${type}`;

/**
 * The condition of a row that a read by cursor is about: above where the last one ended, up to the bound. With a key, rows of
 * the same cursor are told apart by it. Without one, all rows of the last value are read again if there are more by now. With
 * a look-back, everything of that window is read again.
 */
export function cursorWhere({ cursor, key, state, bound, lookbackSeconds, tiesNow }: CursorPlan): string {
  const column = identifier(cursor.name);
  const upper = `${column} <= ${typed(bound, cursor)}`;
  if (state?.cursor === undefined) return upper;
  const from = typed(state.cursor, cursor);
  if (lookbackSeconds > 0 && isTimeKind(cursor.kind)) {
    return `${column} >= (${from} - ${literal(`${lookbackSeconds} seconds`)}::interval) AND ${upper}`;
  }
  if (state.key === undefined) return `${column} ${tiesNow === state.ties ? '>' : '>='} ${from} AND ${upper}`;
  const columns = [cursor, ...key].map(({ name }) => identifier(name));
  const values = [state.cursor, ...state.key].map((value, index) => typed(value, [cursor, ...key][index] ?? cursor));
  // The first condition is the one that an index of the cursor alone serves.
  return `${column} >= ${from} AND (${columns.join(', ')}) > (${values.join(', ')}) AND ${upper}`;
}

/** The order of a read by cursor: what was read before a break is all below what comes after it. */
export function cursorOrder({ cursor, key }: Pick<CursorPlan, 'cursor' | 'key'>): string {
  return [cursor, ...key].map(({ name }) => identifier(name)).join(', ');
}

/** A value that rows can be read up to: not one that is greater than every other for ever. */
export function isBound({ kind, type }: Column, column: string): string {
  if (isTimeKind(kind)) return `pg_catalog.isfinite(${column})`;
  const isNumeric = kind.startsWith('decimal(') || (kind === 'text' && type.startsWith('numeric'));
  return isNumeric ? `${column}::text NOT IN ('NaN', 'Infinity')` : 'true';
}
