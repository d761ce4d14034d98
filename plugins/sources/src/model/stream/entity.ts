import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { FieldFault } from '@weir/kernel/contract';
import {
  type PartitionByView,
  SCHEMA_CHANGE_POLICIES,
  SYNC_MODES,
  type SyncMode,
  WRITE_MODES,
} from '../../contract.ts';

/**
 * A row of `sources.stream`. `discovered` is the connector's own description, which goes back to it unchanged;
 * `resetTable` is the table whose rows the first commit of this generation replaces, when it is the destination.
 */
export const StreamEntity = defineEntity({
  name: 'Stream',
  schema: 'sources',
  tableName: 'stream',
  properties: {
    tenantId: p.uuid().primary(),
    streamId: p.uuid().primary(),
    sourceId: p.uuid(),
    name: p.string(),
    namespace: p.string().nullable(),
    jsonSchema: p.json<Record<string, unknown>>(),
    supportedSyncModes: p.json<SyncMode[]>(),
    sourceDefinedCursor: p.boolean(),
    defaultCursorField: p.json<string[]>().nullable(),
    sourceDefinedPrimaryKey: p.json<string[][]>().nullable(),
    discovered: p.json<Record<string, unknown>>(),
    enabled: p.boolean(),
    syncMode: p.enum(SYNC_MODES),
    writeMode: p.enum(WRITE_MODES),
    cursorField: p.json<string[]>().nullable(),
    primaryKey: p.json<string[][]>().nullable(),
    schemaChangePolicy: p.enum(SCHEMA_CHANGE_POLICIES),
    partitionBy: p.json<PartitionByView>().nullable(),
    destinationTable: p.string(),
    needsAttention: p.boolean(),
    attention: p.json<FieldFault[]>(),
    generation: p.integer(),
    resetTable: p.string().nullable(),
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type StreamRow = InferEntity<typeof StreamEntity>;
/** A row without its tenant, which the transaction adds. */
export type StreamFields = Pick<StreamRow, Exclude<keyof StreamRow & string, 'tenantId'>>;
