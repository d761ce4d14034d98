import { type CatalogStream, type JsonSchema, objectSchema } from '@weir/connector-sdk';
import { kindSchema } from './column-kind.ts';
import type { PostgresConfig } from './config.ts';
import { isCursorKind } from './cursor-column.ts';
import type { Table } from './table.ts';

/** Names that usually say when a row was changed last; such a column of a time is offered as the cursor. */
const USUAL_CURSORS = ['updated_at', 'modified_at', 'last_modified', 'updated', 'updated_on', 'changed_at'];

/** What a change says of itself, beside the columns of its row. */
export const CHANGE_COLUMNS = {
  _op: { type: ['null', 'string'] },
  _lsn: { type: ['null', 'integer'], weir_type: 'long' },
  _ab_cdc_updated_at: {
    ...{ type: ['null', 'string'], format: 'date-time' },
    ...{ airbyte_type: 'timestamp_with_timezone', weir_type: 'timestamptz' },
  },
  _ab_cdc_deleted_at: {
    ...{ type: ['null', 'string'], format: 'date-time' },
    ...{ airbyte_type: 'timestamp_with_timezone', weir_type: 'timestamptz' },
  },
} as const satisfies Record<string, JsonSchema>;

/** The name of a column in its stream: one that a change has itself gets a number, as a record has a name only once. */
export function memberName(name: string, isFollowed: boolean): string {
  return isFollowed && Object.hasOwn(CHANGE_COLUMNS, name) ? `${name}_1` : name;
}

/**
 * The name of a table's stream. Names are unique in a source, so only the tables of the first schema have their own; those of
 * all others say their schema. It depends on nothing else, so no table that comes or goes changes the name of another.
 */
export function streamName({ schema, name }: Pick<Table, 'schema' | 'name'>, schemas: readonly string[]): string {
  return schema === schemas[0] ? name : `${schema}.${name}`;
}

/** A table as discovery describes it. `isFollowed`: its changes are read from the log. */
export function describeStream(
  table: Table,
  { schemas }: Pick<PostgresConfig, 'schemas'>,
  isFollowed: boolean,
): CatalogStream {
  const columns = table.columns.map(({ name, kind, type, isNullable }) => {
    const schema = kindSchema(kind);
    return [
      memberName(name, isFollowed),
      { ...schema, postgres_type: isNullable ? type : `${type} not null` },
    ] as const;
  });
  const usual = table.columns.find(({ name, kind }) => USUAL_CURSORS.includes(name) && kind.startsWith('timestamp'));
  const hasCursor = !isFollowed && table.columns.some(({ kind, type }) => isCursorKind(kind, type));
  return {
    name: streamName(table, schemas),
    ...(table.schema === schemas[0] ? { namespace: table.schema } : {}),
    json_schema: objectSchema([...columns, ...(isFollowed ? Object.entries(CHANGE_COLUMNS) : [])]),
    supported_sync_modes: hasCursor || isFollowed ? ['full_refresh', 'incremental'] : ['full_refresh'],
    source_defined_cursor: isFollowed,
    ...(hasCursor && usual !== undefined ? { default_cursor_field: [usual.name] } : {}),
    ...(isFollowed ? { default_cursor_field: ['_lsn'] } : {}),
    ...(table.key.length > 0
      ? { source_defined_primary_key: table.key.map((name) => [memberName(name, isFollowed)]) }
      : {}),
    is_resumable: hasCursor || isFollowed,
  };
}
