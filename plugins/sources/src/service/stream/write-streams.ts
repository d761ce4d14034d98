import type { TenantTransaction } from '@weir/kernel';
import { sourceProblems } from '../../contract.ts';
import type { StreamFields } from '../../model/stream/entity.ts';
import { uniqueConstraint } from '../row/unique-constraint.ts';

/** Columns of `sources.stream` by property, with their types. The keys come first and never change. */
const COLUMNS = {
  streamId: ['stream_id', 'uuid'],
  sourceId: ['source_id', 'uuid'],
  createdAt: ['created_at', 'timestamptz'],
  name: ['name', 'text'],
  namespace: ['namespace', 'text'],
  jsonSchema: ['json_schema', 'json'],
  supportedSyncModes: ['supported_sync_modes', 'jsonb'],
  sourceDefinedCursor: ['source_defined_cursor', 'boolean'],
  defaultCursorField: ['default_cursor_field', 'jsonb'],
  sourceDefinedPrimaryKey: ['source_defined_primary_key', 'jsonb'],
  discovered: ['discovered', 'json'],
  enabled: ['enabled', 'boolean'],
  syncMode: ['sync_mode', 'text'],
  writeMode: ['write_mode', 'text'],
  cursorField: ['cursor_field', 'jsonb'],
  primaryKey: ['primary_key', 'jsonb'],
  schemaChangePolicy: ['schema_change_policy', 'text'],
  partitionBy: ['partition_by', 'jsonb'],
  destinationTable: ['destination_table', 'text'],
  needsAttention: ['needs_attention', 'boolean'],
  attention: ['attention', 'jsonb'],
  generation: ['generation', 'integer'],
  resetTable: ['reset_table', 'text'],
  version: ['version', 'integer'],
  updatedAt: ['updated_at', 'timestamptz'],
} as const satisfies Record<keyof StreamFields, readonly [column: string, type: string]>;

const FIXED: readonly string[] = ['stream_id', 'source_id', 'created_at'];
const JSON_TYPES: readonly string[] = ['json', 'jsonb'];
const all = Object.values(COLUMNS);
const names = all.map(([column]) => column).join(', ');
/**
 * The rows as one array per column. JSON travels as text and is cast as a whole: a function that takes documents apart
 * would refuse what a connector may have written within them, such as an escaped NUL.
 */
const given = `(select ${all.map(([column, type]) => `${column}::${type}`).join(', ')} from unnest(${all
  .map(([, type], at) => `$${at + 2}::${JSON_TYPES.includes(type) ? 'text' : type}[]`)
  .join(', ')}) as column_of (${names})) as given`;
const changed = all.flatMap(([column]) => (FIXED.includes(column) ? [] : [`${column} = given.${column}`])).join(', ');

const INSERT = `insert into sources.stream (tenant_id, ${names})
  select $1::uuid, ${names} from ${given}`;
const UPDATE = `update sources.stream as stream set ${changed}
  from ${given}
  where stream.tenant_id = $1::uuid and stream.stream_id = given.stream_id`;

/**
 * Inserts streams, in one statement however many there are. Throws `destination_taken` and `stream_name_taken` when
 * another request was faster.
 */
export async function insertStreams(tx: TenantTransaction, rows: readonly StreamFields[]): Promise<void> {
  await write(tx, INSERT, rows);
}

/** Writes streams as they are given, in one statement; each is counted as a new version of itself. */
export async function updateStreams(tx: TenantTransaction, rows: readonly StreamFields[], now: Date): Promise<void> {
  const stamped = rows.map((row) => ({ ...row, version: row.version + 1, updatedAt: now }));
  await write(tx, UPDATE, stamped);
}

/** Removes streams. Their tables, their entries as producers and what runs did for them stay. */
export async function removeStreams(tx: TenantTransaction, streamIds: readonly string[]): Promise<void> {
  if (streamIds.length === 0) return;
  await tx.sql('delete from sources.stream where tenant_id = $2::uuid and stream_id = any ($1::uuid[])', [
    streamIds,
    tx.tenant.tenantId,
  ]);
}

async function write(tx: TenantTransaction, statement: string, rows: readonly StreamFields[]): Promise<void> {
  if (rows.length === 0) return;
  try {
    await tx.sql(statement, [tx.tenant.tenantId, ...columnsOf(rows)]);
  } catch (error) {
    const constraint = uniqueConstraint(error);
    if (constraint === 'stream_destination') throw sourceProblems.destinationTaken();
    if (constraint === 'stream_name') throw sourceProblems.streamNameTaken();
    throw error;
  }
}

function columnsOf(rows: readonly StreamFields[]): unknown[][] {
  return Object.entries(COLUMNS).map(([key, [, type]]) =>
    rows.map((row) => {
      const value = row[key as keyof StreamFields] ?? null;
      return value !== null && JSON_TYPES.includes(type) ? JSON.stringify(value) : value;
    }),
  );
}
