import type { Emit } from '@weir/connector-sdk';
import type { ColumnKind } from './column-kind.ts';
import type { CopyForm, RowBlock, TakeRows } from './copy-rows.ts';
import type { Value } from './csv-row.ts';
import type { Envelope } from './row-json.ts';
import type { Column } from './table.ts';

/** Where rows go. `finish` resolves when all that were taken have been handed to the reader. */
export type RowSink = {
  readonly form: CopyForm;
  readonly take: TakeRows;
  /** The values of the last row of a block, as Postgres prints them. */
  readonly lastRow: (block: RowBlock) => Value[];
  readonly finish: () => Promise<void>;
};

/** A member that every row of a read has: a text or a whole number, as JSON. */
export type FixedMember = { readonly name: string; readonly json: string; readonly kind: ColumnKind };

export type SinkOptions = {
  readonly columns: readonly Column[];
  readonly fixed: readonly FixedMember[];
  readonly emit: Emit;
  readonly envelope: Envelope;
};
