import type { LakehouseErrorCode } from '../error.ts';
import type { Field } from '../types.ts';

/** What the parent asks of a query child, one at a time. */
export type QueryRequest = {
  readonly paths: readonly string[];
  /** The columns to read, by field id, named and typed as the table's schema says now. */
  readonly fields: readonly Field[];
  readonly limit: number;
};

/** Rows in the order of the columns; every value as `wireValue` gives it. */
export type QueryResult = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
};

/** What a query child answers. */
export type QueryAnswer =
  | { readonly result: QueryResult }
  | { readonly error: { readonly code: LakehouseErrorCode; readonly message: string } };

/** How a child is bounded; handed over as its only argument. */
export type ChildLimits = {
  readonly memoryLimit: string;
  readonly threads: number;
  /** Resident bytes at which the child ends itself. */
  readonly maxResidentBytes: number;
};
