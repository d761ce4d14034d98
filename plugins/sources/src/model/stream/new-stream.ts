import { v7 as uuidv7 } from 'uuid';
import { type DiscoveredStreamView, SYNC_MODES } from '../../contract.ts';
import type { KeptStream } from '../discovery/entity.ts';
import type { StreamFields } from './entity.ts';
import { withAttention } from './settings.ts';

/** Where a new stream belongs: its source, and the table that was taken for it. */
export interface NewPlace {
  sourceId: string;
  table: string;
}

/** A new stream as it is described, with the defaults: disabled, `full_refresh`, `overwrite`. */
export function newStream(stream: KeptStream, { sourceId, table }: NewPlace, now: Date): StreamFields {
  return withAttention({
    streamId: uuidv7(),
    sourceId,
    name: stream.name,
    namespace: stream.namespace,
    jsonSchema: stream.schema,
    ...describedBy(stream),
    supportedSyncModes: inOrder(stream.supported_sync_modes),
    enabled: false,
    syncMode: 'full_refresh' as const,
    writeMode: 'overwrite' as const,
    cursorField: null,
    primaryKey: null,
    schemaChangePolicy: 'capture' as const,
    partitionBy: null,
    destinationTable: table,
    generation: 1,
    resetTable: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** What a connector says of a stream beside its schema and modes. */
export function describedBy(stream: KeptStream) {
  return {
    sourceDefinedCursor: stream.source_defined_cursor,
    defaultCursorField: stream.default_cursor_field,
    sourceDefinedPrimaryKey: stream.source_defined_primary_key,
    discovered: stream.discovered,
  };
}

/** Sync modes without repetition, in one order, so that equal sets are equal lists. */
export function inOrder(modes: DiscoveredStreamView['supported_sync_modes']) {
  return SYNC_MODES.filter((mode) => modes.includes(mode));
}

/** What is said of a stream without a connector's own words. */
export type StreamDescription = Pick<DiscoveredStreamView, 'name' | 'schema'> &
  Partial<{ [K in Exclude<keyof DiscoveredStreamView, 'name' | 'schema'>]: DiscoveredStreamView[K] | undefined }>;

/** A description that did not come from a connector, in the words in which one would have given it. */
export function keptStream(description: StreamDescription, namespace: string | null): KeptStream {
  const { name, schema, supported_sync_modes: modes = ['full_refresh' as const] } = description;
  const { source_defined_cursor: ownCursor = false, default_cursor_field: cursor = null } = description;
  const { source_defined_primary_key: key = null } = description;
  return {
    name,
    namespace,
    schema,
    supported_sync_modes: inOrder(modes),
    source_defined_cursor: ownCursor,
    default_cursor_field: cursor,
    source_defined_primary_key: key,
    discovered: {
      name,
      ...(namespace === null ? {} : { namespace }),
      json_schema: schema,
      supported_sync_modes: inOrder(modes),
      source_defined_cursor: ownCursor,
      ...(cursor === null ? {} : { default_cursor_field: cursor }),
      ...(key === null ? {} : { source_defined_primary_key: key }),
    },
  };
}
