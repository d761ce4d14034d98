import type { Tenant } from '@weir/kernel';
import type { StreamView } from '../contract.ts';
import type { StreamRow } from './entity.ts';

/** The bronze namespace of a tenant. */
export function bronzeNamespace(tenant: Tenant): string {
  return `bronze.${tenant.scope}`;
}

/** A stream as the wire shows it. */
export function streamView(tenant: Tenant, row: StreamRow): StreamView {
  const namespace = bronzeNamespace(tenant);
  return {
    stream_id: row.streamId,
    source_id: row.sourceId,
    name: row.name,
    namespace: row.namespace ?? null,
    schema: row.jsonSchema,
    supported_sync_modes: row.supportedSyncModes,
    source_defined_cursor: row.sourceDefinedCursor,
    default_cursor_field: row.defaultCursorField ?? null,
    source_defined_primary_key: row.sourceDefinedPrimaryKey ?? null,
    enabled: row.enabled,
    sync_mode: row.syncMode,
    write_mode: row.writeMode,
    cursor_field: row.cursorField ?? null,
    primary_key: row.primaryKey ?? null,
    destination: {
      namespace,
      table: row.destinationTable,
      dataset_id: `${namespace}.${row.destinationTable}`,
    },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    etag: String(row.version),
  };
}
