import type { JsonSchema, StreamDescriptor } from '@weir/connector-sdk';

/** The columns of a stream: name to JSON schema. */
export type Columns = Readonly<Record<string, JsonSchema>>;

/** How a file's rows are sent: of which stream, by which columns, to whom. */
export type FileReading = {
  readonly stream: StreamDescriptor;
  readonly columns: Columns;
  readonly emittedAt: number;
  readonly onLines: (lines: Uint8Array, count: number) => Promise<void>;
  readonly signal: AbortSignal;
};
