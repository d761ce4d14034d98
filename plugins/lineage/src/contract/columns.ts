import { type Static, Type } from '@sinclair/typebox';
import { OneOf } from '@weir/kernel/contract';

/** Why the sources of a column are not known, or may be too many. */
export const UNRESOLVED_REASONS = [
  ...(['table_unknown', 'column_unknown', 'generated_name', 'columns_chosen', 'structure_spread'] as const),
  ...(['pivot', 'table_function', 'construct', 'too_complex'] as const),
] as const;

const Unresolved = Type.Object({
  reason: OneOf(UNRESOLVED_REASONS),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
});

const ColumnOfTable = Type.Object({ dataset_id: Type.String(), column: Type.String() });
export type ColumnOfTableView = Static<typeof ColumnOfTable>;

/** Where the values of one column of an output come from. */
export const LineageColumn = Type.Object({
  column: Type.String(),
  sources: Type.Array(ColumnOfTable, { description: 'What the value is computed from' }),
  influences: Type.Array(ColumnOfTable, { description: 'What filters, joins, groups or orders the rows' }),
  complete: Type.Boolean({ description: 'False: more columns may be involved' }),
  unresolved: Type.Optional(Type.Array(Unresolved, { description: 'Why it is not complete; absent where it is' })),
});
export type LineageColumnView = Static<typeof LineageColumn>;
