import type { LakehouseErrorCode } from '../error/error.ts';
import type { RowSource } from '../rows/live-rows.ts';
import type { Condition } from '../scan/condition.ts';
import type { Field, TableSchema } from '../schema/types.ts';

/** The column that rows are sorted by: NULL last, NaN above all numbers; equal ones stay in reading order. */
export type ReadOrder = { readonly field: Field; readonly descending: boolean };

/** A row by the index of its file in the request and its place there, counted from 0 in decimal digits. */
export type RowPlace = { readonly index: number; readonly row: string };

/** A page of rows that is asked for. */
export type PageQuery = {
  readonly kind: 'page';
  readonly source: RowSource;
  /** The columns to read, by field id, named and typed as the table's schema says now. */
  readonly fields: readonly Field[];
  readonly conditions: readonly Condition[];
  readonly order: ReadOrder | undefined;
  /** The row behind which to go on. */
  readonly after: RowPlace | undefined;
  readonly limit: number;
  /** Bytes of a binary value that are read; all when undefined. */
  readonly maxBinaryBytes: number | undefined;
  /** With labels for its schema, rows come as an Arrow stream. */
  readonly arrow: Readonly<Record<string, string>> | undefined;
};

/** One page of rows. */
export type QueryPage = {
  /** Whether there are rows behind the last one. */
  readonly more: boolean;
  /** The last row; undefined for none. */
  readonly last: RowPlace | undefined;
  /** The rows in the order of the columns, every value as `wireValue` gives it; or an Arrow IPC stream of them. */
  readonly rows: readonly (readonly unknown[])[] | Uint8Array;
};

/** How many rows there are of each value of a column, the most frequent first. */
export type CountQuery = {
  readonly kind: 'count';
  readonly source: RowSource;
  readonly field: Field;
  readonly conditions: readonly Condition[];
  /** Values that are told. */
  readonly limit: number;
};
export type ValueCounts = readonly { readonly value: unknown; readonly rows: bigint }[];

/** What is counted of all rows, by the names and types of a schema. */
export type FiguresQuery = {
  readonly kind: 'figures';
  readonly source: RowSource;
  readonly schema: TableSchema;
  readonly conditions: readonly Condition[];
};

/** One statement over the table `sample`, which has a column `r`, the place of a row, and `c0` and so on. */
export type SampleSelect = {
  /** A single SELECT; it can reach the sample and nothing else. */
  readonly sql: string;
  /** Rows that it may answer; `result_too_large` beyond them. */
  readonly maxRows: number;
  /** A name, in lower case letters, by which the statements behind it read its rows; they are not answered then. */
  readonly as?: string;
};

/** The first rows of a source, in reading order, and what is asked of them. */
export type SampleQuery = {
  readonly kind: 'sample';
  readonly source: RowSource;
  /** The columns `c0` and so on, in this order. */
  readonly fields: readonly Field[];
  readonly rows: number;
  readonly selects: readonly SampleSelect[];
};

/** What was found in a sample: for each statement the values of each of its columns, as `wireValue` gives them. */
export type SampleAnswer = {
  readonly rows: number;
  /** Whether the source has rows behind those of the sample. */
  readonly more: boolean;
  readonly results: readonly (readonly (readonly unknown[])[])[];
};

/** What the parent asks of a query child. */
export type Query = PageQuery | CountQuery | FiguresQuery | SampleQuery;

/** What the parent says to a query child: a query, one at a time, or that it waits for one no longer. */
export type QueryMessage =
  | { readonly id: number; readonly query: Query }
  | { readonly id: number; readonly stop: true };

/** What a query child answers. */
export type QueryAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly code: LakehouseErrorCode; readonly message: string } };

/** What a query child says: an answer, or while it works on one that it lives. */
export type QueryWord = QueryAnswer | { readonly pulse: true };

/** How a child is bounded; handed over as its only argument. */
export type ChildLimits = {
  readonly memoryLimit: string;
  readonly threads: number;
  /** Resident bytes at which the child ends itself. */
  readonly maxResidentBytes: number;
};
