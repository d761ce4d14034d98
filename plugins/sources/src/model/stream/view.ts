import type { Tenant } from '@weir/kernel';
import type { StreamView } from '../../contract.ts';
import type { StreamFields } from './entity.ts';
import { extraFields } from './needed-columns.ts';

/** The bronze namespace of a tenant. */
export function bronzeNamespace(tenant: Tenant): string {
  return `bronze.${tenant.scope}`;
}

/** The dataset id of the table of a stream. */
export function datasetIdOf(tenant: Tenant, { destinationTable }: Pick<StreamFields, 'destinationTable'>): string {
  return `${bronzeNamespace(tenant)}.${destinationTable}`;
}

/** A stream as the wire shows it. */
export function streamView(tenant: Tenant, row: StreamFields): StreamView {
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
    schema_change_policy: row.schemaChangePolicy,
    partition_by: row.partitionBy ?? null,
    kept_in_extra: extraFields(row),
    destination: {
      namespace,
      table: row.destinationTable,
      dataset_id: datasetIdOf(tenant, row),
    },
    needs_attention: row.needsAttention,
    attention: row.attention,
    generation: row.generation,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    etag: String(row.version),
  };
}
