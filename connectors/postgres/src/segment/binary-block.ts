import type { RowBlock } from '../copy-rows.ts';
import { viewOf } from './room.ts';

/** Two numbers for the row itself, then two for each of its columns. */
const PAIR = 2;
const FIRST_ROWS = 64;

/**
 * Rows of a block, and where their values lie in its bytes. For each row `step` numbers: its own place and length, then those
 * of each of its columns; the length of a NULL is -1.
 */
export type Rows = {
  bytes: Buffer;
  view: DataView;
  places: Int32Array;
  readonly step: number;
  count: number;
  /** How many bytes they have together. */
  size: number;
  /** How many rows have no value, of each column. */
  readonly nulls: Int32Array;
  /** Rows that go another way: 1 at their number. */
  odd: Uint8Array;
  isOdd: boolean;
};

/** No rows, of so many columns. */
export function noRows(columns: number): Rows {
  const bytes = Buffer.alloc(0);
  const step = PAIR + PAIR * columns;
  const odd = new Uint8Array(FIRST_ROWS);
  const places = new Int32Array(FIRST_ROWS * step);
  const nulls = new Int32Array(columns);
  return { bytes, view: viewOf(bytes), places, step, count: 0, size: 0, nulls, odd, isOdd: false };
}

/** Where the numbers of a column begin in those of a row. */
export const columnPlace = (column: number): number => PAIR + PAIR * column;

/** Says of the row whose numbers hold the place `at` that it goes another way. */
export function markOdd(rows: Rows, at: number): void {
  rows.odd[Math.floor(at / rows.step)] = 1;
  rows.isOdd = true;
}

/** Finds all rows of a block anew; those with more than `most` bytes are odd. Throws where a row is not what was asked for. */
export function findRows(rows: Rows, { bytes, count, spans }: RowBlock, most: number): void {
  const { step, nulls } = rows;
  if (rows.odd.length < count) {
    rows.odd = new Uint8Array(2 * count);
    rows.places = new Int32Array(2 * count * step);
  }
  const { places } = rows;
  const view = viewOf(bytes);
  const columns = step / PAIR - 1;
  nulls.fill(0);
  rows.odd.fill(0, 0, count);
  Object.assign(rows, { bytes, view, count, isOdd: false });
  let size = 0;
  for (let row = 0, place = 0; row < count; row += 1) {
    const [from, end] = [spans?.[2 * row] ?? 0, spans?.[2 * row + 1] ?? 0];
    if (view.getInt16(from) !== columns) throw new Error('a row has other columns than were asked for');
    places[place++] = from;
    places[place++] = end - from;
    size += end - from;
    let next = from + 2;
    for (let column = 0; column < columns; column += 1) {
      const length = view.getInt32(next);
      next += 4;
      places[place++] = next;
      places[place++] = length;
      if (length > 0) next += length;
      else if (length < 0) nulls[column] = (nulls[column] as number) + 1;
    }
    if (next !== end) throw new Error('a row has other bytes than its message');
    if (end - from > most) markOdd(rows, place - step);
  }
  rows.size = size;
}

/** Takes the odd rows out; `each` is given the place in `places` of each of them before that. */
export function takeOdd(rows: Rows, each: (at: number) => void): void {
  const { places, odd, step, nulls } = rows;
  let kept = 0;
  for (let row = 0; row < rows.count; row += 1) {
    const at = row * step;
    if (odd[row] === 0) {
      if (kept < row) places.copyWithin(kept * step, at, at + step);
      kept += 1;
      continue;
    }
    each(at);
    rows.size -= places[at + 1] as number;
    for (let column = 0; column < nulls.length; column += 1) {
      if ((places[at + columnPlace(column) + 1] as number) < 0) nulls[column] = (nulls[column] as number) - 1;
    }
  }
  odd.fill(0, 0, rows.count);
  rows.count = kept;
  rows.isOdd = false;
}
