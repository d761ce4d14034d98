import type { Dictionary } from './dictionary.ts';
import type { PackedPage } from './file-writer.ts';
import { CODEC } from './format.ts';
import { bitLevels, runOf } from './levels.ts';

/** Higher levels cost far more time than they save bytes. */
export const LEVEL = 1;
const NONE = Buffer.alloc(0);

/** The values of one column in a row group. */
export type ColumnPage = {
  /** In Parquet's plain encoding, or as `placesPage` has them where there is a dictionary; without those that are NULL. */
  readonly values: Buffer;
  readonly dictionary?: Dictionary;
  /** How many these are. */
  readonly nulls: number;
  /** A bit for each row, the least first, that says whether it has a value; undefined when all of them have one. */
  readonly present: Buffer | undefined;
};

/** What the values of a page, and its dictionary if it has one, are when they are packed. */
export type Packed = { readonly values: Buffer; readonly dictionary: Buffer | undefined };

/** The page of a column, its values as they are when they are packed. */
export function pageOf(rows: number, { values, nulls, present, dictionary }: ColumnPage, packed: Packed): PackedPage {
  return {
    ...{ nulls, definition: present === undefined ? runOf(rows, 1) : bitLevels(present) },
    ...{ codec: CODEC.zstd, values: packed.values, plainBytes: values.length },
    ...(dictionary && packed.dictionary
      ? { dictionary: { count: dictionary.count, values: packed.dictionary, plainBytes: dictionary.values.length } }
      : {}),
  };
}

/** One value, in the plain encoding, for all rows of a group. */
export function constantPage(rows: number, constant: Buffer): PackedPage {
  // One bit for each place in the dictionary, which has one value.
  const places = Buffer.concat([Buffer.from([1]), runOf(rows, 0)]);
  return {
    ...{ nulls: 0, definition: runOf(rows, 1), codec: CODEC.none, values: places, plainBytes: places.length },
    dictionary: { count: 1, values: constant, plainBytes: constant.length },
  };
}

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
