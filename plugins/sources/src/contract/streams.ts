import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, writeSources } from './access.ts';
import { sourceProblems } from './problems.ts';

export const SYNC_MODES = ['full_refresh', 'incremental'] as const;
export type SyncMode = (typeof SYNC_MODES)[number];

export const WRITE_MODES = ['append', 'overwrite', 'merge', 'soft_delete'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

const MAX_PATH_DEPTH = 16;
const MAX_KEY_FIELDS = 32;

/** The path of a field within a record, outermost first. */
export const FieldPath = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  minItems: 1,
  maxItems: MAX_PATH_DEPTH,
});

/** The paths that together make a key. */
export const KeyPaths = Type.Array(FieldPath, { minItems: 1, maxItems: MAX_KEY_FIELDS });

/** The JSON Schema of a stream's records. */
export const RecordSchema = Type.Record(Type.String(), Type.Unknown());

/** The name of a bronze table, the third segment of its dataset id. */
export const TableName = Type.String({
  pattern: '^[A-Za-z0-9_]{1,128}$',
  description: 'Third segment of the dataset id',
});

/** What a connector told about one stream. */
export const DiscoveredStream = Type.Object({
  name: Type.String(),
  namespace: Nullable(Type.String()),
  schema: RecordSchema,
  supported_sync_modes: Type.Array(OneOf(SYNC_MODES)),
  source_defined_cursor: Type.Boolean(),
  default_cursor_field: Nullable(FieldPath),
  source_defined_primary_key: Nullable(KeyPaths),
});
export type DiscoveredStreamView = Static<typeof DiscoveredStream>;

/** A stream of a source: what was discovered, and how it is synced. */
export const Stream = Type.Composite([
  DiscoveredStream,
  Type.Object({
    stream_id: Id,
    source_id: Id,
    enabled: Type.Boolean(),
    sync_mode: OneOf(SYNC_MODES),
    write_mode: OneOf(WRITE_MODES),
    cursor_field: Nullable(FieldPath),
    primary_key: Nullable(KeyPaths),
    destination: Type.Object({
      namespace: Type.String(),
      table: TableName,
      dataset_id: Type.String({ description: 'bronze.<scope>.<table>' }),
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    etag: Type.String(),
  }),
]);
export type StreamView = Static<typeof Stream>;

/** `GET /sources/{source_id}/streams` */
export const listStreams = endpoint({
  id: 'sources.list_streams',
  method: 'GET',
  path: '/sources/:source_id/streams',
  summary: 'List the streams of a source',
  access: readSources,
  params: Closed({ source_id: Id }),
  query: listQuery(['name', 'created_at'], { enabled: Type.Optional(Type.Boolean()) }),
  response: Page(Stream),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: 'sources streams list',
});

/** `PATCH /sources/{source_id}/streams/{stream_id}`: a JSON merge patch; `null` clears cursor and key. */
export const updateStream = endpoint({
  id: 'sources.update_stream',
  method: 'PATCH',
  path: '/sources/:source_id/streams/:stream_id',
  summary: 'Change how a stream is synced',
  access: writeSources,
  params: Closed({ source_id: Id, stream_id: Id }),
  body: Closed({
    enabled: Type.Optional(Type.Boolean()),
    sync_mode: Type.Optional(OneOf(SYNC_MODES)),
    write_mode: Type.Optional(OneOf(WRITE_MODES)),
    cursor_field: Type.Optional(Nullable(FieldPath)),
    primary_key: Type.Optional(Nullable(KeyPaths)),
    destination: Type.Optional(Closed({ table: TableName })),
  }),
  response: Stream,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    sourceProblems.streamNotSyncable,
    sourceProblems.writeModeUnavailable,
    sourceProblems.destinationTaken,
  ],
});
