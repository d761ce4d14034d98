import type { PackedPage } from './file-writer.ts';
import { CODEC } from './format.ts';
import { bitLevels, runOf } from './levels.ts';

/** Higher levels cost far more time than they save bytes. */
export const LEVEL = 1;
const NONE = Buffer.alloc(0);

/** The values of one column in a row group. */
export type ColumnPage = {
  /** In Parquet's plain encoding, without those that are NULL. */
  readonly values: Buffer;
  /** How many these are. */
  readonly nulls: number;
  /** A bit for each row, the least first, that says whether it has a value; undefined when all of them have one. */
  readonly present: Buffer | undefined;
};

/** The page of a column, its values as they are when they are packed. */
export function pageOf(rows: number, { values, nulls, present }: ColumnPage, packed: Buffer): PackedPage {
  return {
    ...{ nulls, definition: present === undefined ? runOf(rows, 1) : bitLevels(present) },
    ...{ codec: CODEC.zstd, values: packed, plainBytes: values.length },
  };
}

/** One value, in the plain encoding, for all rows of a group. */
export const constantPage = (rows: number, constant: Buffer): PackedPage => ({
  ...{ nulls: 0, definition: runOf(rows, 1), codec: CODEC.none, values: NONE, plainBytes: 0, constant },
});

/** No value for any row of a group. */
export const nullPage = (rows: number): PackedPage => ({
  ...{ nulls: rows, definition: runOf(rows, 0), codec: CODEC.none, values: NONE, plainBytes: 0 },
});

/** The page of a leaf directly below an optional list that is empty in all rows of a group, and there. */
export const emptyListPage = (rows: number): PackedPage => ({
  ...nullPage(rows),
  repetition: runOf(rows, 0),
  definition: runOf(rows, 1),
});
