import {
  currentSchema,
  evolveSchema,
  FILE_COLUMN,
  LakehouseError,
  maxFieldId,
  replacementSchema,
  type TableSchema,
  unfitColumns,
} from '@weir/lakehouse';
import type { PrepareOptions } from '../contract.ts';
import type { CurrentTable } from '../store/table-store.ts';
import { fittingColumns, type WantedColumns } from './wanted-columns.ts';

/** The schema under which rows of wanted columns are written. */
export interface WantedSchema {
  schema: TableSchema;
  /** Whether the table lacks it. */
  changed: boolean;
  /** Whether the table gets it by a commit that replaces all rows, and by no other. */
  replaces: boolean;
  /** Wanted columns that keep the table's type. */
  kept: readonly string[];
  /** Wanted columns that the table cannot have. */
  refused: readonly string[];
}

/** What of the options decides on the schema of a table that is there. */
export type SchemaOptions = Pick<PrepareOptions, 'policy' | 'conflicts' | 'planned' | 'needed'>;

/** The schema of a table once it holds wanted columns. Throws `schema_incompatible` where conflicts are refused. */
export function wantedSchema(
  { metadata }: Pick<CurrentTable, 'metadata'>,
  { wanted, policy, planned, needed, conflicts = 'refuse' }: { wanted: WantedColumns } & SchemaOptions,
): WantedSchema {
  const division = { conflicts, ...(needed && { needed }) };
  if (planned !== undefined) {
    const has = planned.schema as TableSchema;
    const { columns, refused } = fittingColumns(wanted, { ...division, conflicts: 'keep', current: has });
    const last = Math.max(maxFieldId(has.fields), metadata['last-column-id']);
    return { ...evolveSchema(has, columns, last), changed: true, replaces: planned.replaces, kept: [], refused };
  }
  const current = currentSchema(metadata);
  const { columns, refused } = fittingColumns(wanted, { ...division, current });
  if (wanted.isExact && conflicts === 'replace' && policy !== 'freeze') {
    return { ...replacementSchema(metadata, columns, { others: 'drop' }), replaces: true, refused };
  }
  const isRefused = conflicts === 'refuse' || policy === 'freeze';
  const unfit = isRefused ? [] : unfitColumns(current, columns);
  if (conflicts === 'replace' && unfit.length > 0) {
    const replacement = replacementSchema(metadata, columns);
    if (replacement.kept.length < unfit.length) return { ...replacement, replaces: true, refused };
  }
  // Its values would be none of the file that a row is from, and no row could be found by it.
  if (unfit.includes(FILE_COLUMN.name)) {
    throw new LakehouseError('column_reserved', 'A table has another column of this name', {
      columns: [FILE_COLUMN.name],
    });
  }
  const fitting = columns.filter(({ name }) => !unfit.includes(name));
  const { schema, changed } = evolveSchema(current, fitting, metadata['last-column-id']);
  return { schema: changed ? numbered(metadata, schema) : schema, changed, replaces: false, kept: unfit, refused };
}

/** A new schema under the id that its commit gives it. */
function numbered({ schemas }: CurrentTable['metadata'], schema: TableSchema): TableSchema {
  return { ...schema, 'schema-id': Math.max(...schemas.map((one) => one['schema-id'])) + 1 };
}

/** Whether nothing has to be done to the table before rows are written. */
export function isEnough({ changed, replaces }: WantedSchema): boolean {
  return replaces || !changed;
}
