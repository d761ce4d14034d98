import {
  type Column,
  FILE_COLUMN,
  jsonSchemaToColumns,
  LakehouseError,
  META_COLUMNS,
  QUARANTINE_COLUMNS,
  type TableSchema,
} from '@weir/lakehouse';
import { divideNames, type PrepareOptions } from '../contract.ts';

/** When the row of a key was deleted at the source; null for a row that is there. */
const DELETED_AT: Column = { name: '_deleted_at', type: 'timestamptz' };

/** What decides on the columns that the platform adds. */
type OwnColumns = { [Name in 'columns' | 'ofFiles']?: PrepareOptions[Name] | undefined };

/** What rows bring, and what the platform adds to them. */
export interface WantedColumns {
  fields: readonly Column[];
  own: readonly Column[];
  /** A table that is replaced has no others. */
  isExact?: true;
}

/** The columns of a table that holds rows of a JSON schema, or rejected lines. */
export function wantedColumns(
  jsonSchema: object,
  { columns: kind = 'plain', ofFiles = false }: OwnColumns = {},
): WantedColumns {
  if (kind === 'quarantine') return { fields: [], own: QUARANTINE_COLUMNS };
  if (typeof kind === 'object') return { fields: [], own: kind.exactly as readonly Column[], isExact: true };
  const more = [...(kind === 'plain' ? [] : [DELETED_AT]), ...(ofFiles ? [FILE_COLUMN] : [])];
  return { fields: jsonSchemaToColumns(jsonSchema), own: [...META_COLUMNS, ...more] };
}

/** How fields are divided: `current` is the schema that the table has, if there is one. */
interface Division extends Pick<PrepareOptions, 'needed' | 'conflicts'> {
  current?: TableSchema | undefined;
}

/**
 * The columns of a table, and the fields that get none, as their names are reserved or differ from that of a column in case
 * alone. Throws `column_reserved` for one that is needed.
 */
export function fittingColumns(
  { fields, own }: WantedColumns,
  { current, needed = [], conflicts }: Division,
): { columns: Column[]; refused: readonly string[] } {
  const names = fields.map(({ name }) => name);
  const known = current?.fields.map(({ name }) => name) ?? [];
  // All rows are replaced: a column that no row has any more keeps no other from its name.
  const has = conflicts === 'replace' ? known.filter((name) => names.includes(name)) : known;
  const { refused } = divideNames(names, { has, needed });
  const lost = needed.filter((name) => refused.includes(name));
  if (lost.length > 0) throw new LakehouseError('column_reserved', 'A needed column cannot be one', { columns: lost });
  return { columns: [...fields.filter(({ name }) => !refused.includes(name)), ...own], refused };
}
