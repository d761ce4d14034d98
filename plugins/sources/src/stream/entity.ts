import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SYNC_MODES, type SyncMode, WRITE_MODES } from '../contract.ts';

/** A row of `sources.stream`. `discovered` is the connector's own description, which goes back to it unchanged. */
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
    destinationTable: p.string(),
    generation: p.integer(),
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type StreamRow = InferEntity<typeof StreamEntity>;
