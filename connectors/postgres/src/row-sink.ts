import type { Emit } from '@weir/connector-sdk';
import type { TakeRows } from './copy-rows.ts';
import type { Envelope } from './row-json.ts';
import type { Column } from './table.ts';

/** Where the rows of one connection go. `finish` resolves when all of them have been handed to the reader. */
export type RowSink = {
  readonly take: TakeRows;
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
};

/** A member that every row of a read has, as JSON and as SQL. */
export type FixedMember = { readonly name: string; readonly json: string; readonly sql: string };

export type SinkOptions = {
  readonly columns: readonly Column[];
  readonly fixed: readonly FixedMember[];
  readonly emit: Emit;
  readonly envelope: Envelope;
};
