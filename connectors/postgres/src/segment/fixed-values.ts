import type { ColumnPage } from '@weir/parquet';
import type { Rows } from './binary-block.ts';
import { type Room, room } from './room.ts';

/** Bytes from the server, and the same to be read as numbers. */
export type Source = { readonly bytes: Buffer; readonly view: DataView };

/** What a page says of the values of a column. */
export type TakenValues = Pick<ColumnPage, 'values' | 'dictionary'>;

/** The values of a column in the order of its rows, as a page of Parquet has them; NULL is none of them. */
export type ColumnValues = {
  /**
   * Adds the values that the server wrote in binary form, of all rows, whose numbers for this column begin at `column`. A row
   * whose value the table's type does not hold is marked as odd; what was added is to be taken back then.
   */
  readonly put: (rows: Rows, column: number) => void;
  /** Takes back what was added last. */
  readonly undo: () => void;
  /** Gives all values, until the next one is added, and begins anew. */
  readonly take: () => TakenValues;
};

/** Writes the values of rows behind the end of a room that has a place for them. Gives the new end. */
export type PutValues = (to: Room, rows: Rows, column: number) => number;

/** Values of so many bytes each. `put` has a loop of its own: a call for each value costs more than to write it. */
export function fixedValues(width: number, put: PutValues): ColumnValues {
  const to = room();
  let before = 0;
  return {
    put(rows, column) {
      to.reserve(width * rows.count);
      before = to.end;
      to.end = put(to, rows, column);
    },
    undo() {
      to.end = before;
    },
    take: () => ({ values: to.take() }),
  };
}
