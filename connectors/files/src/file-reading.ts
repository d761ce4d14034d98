import type { Emit, JsonSchema, RowsFrom, StreamDescriptor } from '@weir/connector-sdk';

/** The columns of a stream: name to JSON schema. */
export type Columns = Readonly<Record<string, JsonSchema>>;

/** How a file's rows are sent: of which stream, by which columns, to whom. */
export type FileReading = {
  readonly stream: StreamDescriptor;
  readonly columns: Columns;
  readonly emittedAt: number;
  /** The name by which the platform knows the file. */
  readonly from: RowsFrom;
  readonly onLines: Emit['lines'];
  readonly log: Emit['log'];
  /** There if rows may go as Parquet files; files that are worth it then do. */
  readonly segment: Emit['segment'];
  /** There if lines of JSON may go as files. */
  readonly lineFile: Emit['lineFile'];
  readonly signal: AbortSignal;
};
