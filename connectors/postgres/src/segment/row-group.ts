import type { ColumnPage } from '@weir/parquet';
import type { Column } from '../table.ts';
import { columnPlace, type Rows } from './binary-block.ts';
import { isJsonb } from './binary-rows.ts';
import { columnValues } from './column-values.ts';
import type { ColumnValues } from './fixed-values.ts';

const FIRST_LEVEL_BYTES = 1024;

/** Rows on their way into a file, each value beside the others of its column. */
export type RowGroup = {
  readonly rows: () => number;
  /** Bytes that its rows had when they came. */
  readonly bytes: () => number;
  /** Adds rows; false, and none of them is added, when a column does not hold a value: these are marked as odd then. */
  readonly add: (rows: Rows) => boolean;
  /** Gives the pages of its rows, until the next one is added, and begins anew. */
  readonly take: () => ColumnPage[];
};

/** A column, and which of its rows have a value, once one has none: a bit each. */
type Slot = { readonly values: ColumnValues; nulls: number; present: Buffer | undefined };

/** Begins a group of rows of a table. */
export function rowGroup(columns: readonly Pick<Column, 'kind' | 'type'>[]): RowGroup {
  const slots = columns.map(
    (column): Slot => ({ values: columnValues(column.kind, isJsonb(column)), nulls: 0, present: undefined }),
  );
  let [count, bytes] = [0, 0];
  return {
    rows: () => count,
    bytes: () => bytes,
    add(rows) {
      for (const [index, { values }] of slots.entries()) values.put(rows, columnPlace(index));
      if (rows.isOdd) {
        for (const { values } of slots) values.undo();
        return false;
      }
      for (const [index, slot] of slots.entries()) {
        const nulls = rows.nulls[index] as number;
        if (nulls === 0 && slot.present === undefined) continue;
        slot.present = levels(slot.present ?? allOf(count), count, rows, columnPlace(index));
        slot.nulls += nulls;
      }
      count += rows.count;
      bytes += rows.size;
      return true;
    },
    take() {
      const pages = slots.map(({ values, nulls, present }) => ({
        ...values.take(),
        nulls,
        present: present?.subarray(0, Math.ceil(count / 8)),
      }));
      for (const slot of slots) [slot.nulls, slot.present] = [0, undefined];
      [count, bytes] = [0, 0];
      return pages;
    },
  };
}

/** Bits that say of so many rows that they have a value; all others are zero. */
function allOf(rows: number): Buffer {
  const bits = Buffer.alloc(Math.max(FIRST_LEVEL_BYTES, 2 * Math.ceil((rows + 1) / 8)));
  bits.fill(0xff, 0, rows >> 3);
  bits[rows >> 3] = (1 << (rows & 7)) - 1;
  return bits;
}

/** Says of rows behind so many others whether they have a value; gives the bits, which may have had to grow. */
function levels(bits: Buffer, before: number, { places, step, count }: Rows, column: number): Buffer {
  const needed = Math.ceil((before + count) / 8);
  const grown = needed <= bits.length ? bits : Buffer.concat([bits], 2 * needed);
  for (let row = 0, at = column + 1; row < count; row += 1, at += step) {
    if ((places[at] as number) < 0) continue;
    const place = (before + row) >> 3;
    grown[place] = (grown[place] as number) | (1 << ((before + row) & 7));
  }
  return grown;
}
