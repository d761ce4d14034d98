import { type Column, jsonSchemaToColumns, LakehouseError, QUARANTINE_COLUMNS, withMetaColumns } from '@weir/lakehouse';
import type { PrepareOptions } from '../contract.ts';

/** When the row of a key was deleted at the source; null for a row that is there. */
const DELETED_AT: Column = { name: '_deleted_at', type: 'timestamptz' };

/** The columns of a table that holds rows of a JSON schema, or rejected lines. */
export function wantedColumns(jsonSchema: object, kind: PrepareOptions['columns'] = 'plain'): Column[] {
  if (kind === 'quarantine') return [...QUARANTINE_COLUMNS];
  const columns = withMetaColumns(jsonSchemaToColumns(jsonSchema));
  if (kind === 'plain') return columns;
  const taken = columns.filter(({ name }) => name.toLowerCase() === DELETED_AT.name).map(({ name }) => name);
  if (taken.length > 0) {
    throw new LakehouseError('column_reserved', 'A column has a reserved name', { columns: taken });
  }
  return [...columns, DELETED_AT];
}
