import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, writeSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';

export const SYNC_MODES = ['full_refresh', 'incremental'] as const;
export type SyncMode = (typeof SYNC_MODES)[number];

export const WRITE_MODES = ['append', 'overwrite', 'merge', 'soft_delete'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** What a sync does with fields that no column holds: make columns, refuse them, or keep them in `_extra`. */
export const SCHEMA_CHANGE_POLICIES = ['evolve', 'freeze', 'capture'] as const;
export type SchemaChangePolicy = (typeof SCHEMA_CHANGE_POLICIES)[number];

const MAX_PATH_DEPTH = 16;
const MAX_KEY_FIELDS = 32;
const MAX_NAME = 512;
const MAX_PARTITION_FIELDS = 8;
/** No control characters, and no half of a surrogate pair, which the database would change. */
const PLAIN_TEXT = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]+$';

/** The path of a field within a record, outermost first. */
export const FieldPath = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  minItems: 1,
  maxItems: MAX_PATH_DEPTH,
});

/** The paths that together make a key. */
export const KeyPaths = Type.Array(FieldPath, { minItems: 1, maxItems: MAX_KEY_FIELDS });

/** The JSON Schema of a stream's records. */
export const RecordSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'JSON Schema of the records of the stream',
});

/** The name of a stream: its key within the source, case and all. */
export const StreamName = Type.String({
  maxLength: MAX_NAME,
  pattern: PLAIN_TEXT,
  description: 'Name of the stream as the source has it; upper and lower case differ',
});

/** The container of a stream in the source. */
export const StreamNamespace = Type.String({
  maxLength: MAX_NAME,
  pattern: PLAIN_TEXT,
  description: 'Container of the stream in the source, such as a database schema; never its own name',
});

/** The name of a bronze table, the third segment of its dataset id. */
export const TableName = Type.String({
  pattern: '^[A-Za-z0-9_]{1,128}$',
  description: 'Third segment of the dataset id',
});

/** How the files of a table are laid out: each of its partitions has its own. */
export const PartitionBy = Type.Array(
  Closed({
    column: Type.String({ minLength: 1, maxLength: 255, description: 'A column of the table, such as _extracted_at' }),
    transform: Type.String({
      pattern: '^(identity|year|month|day|hour|bucket\\[[1-9][0-9]{0,3}\\]|truncate\\[[1-9][0-9]{0,5}\\])$',
      description: 'identity, year, month, day, hour, bucket[<count>] or truncate[<width>]',
    }),
  }),
  {
    minItems: 1,
    maxItems: MAX_PARTITION_FIELDS,
    description: 'Partitioning of the table when it is made; a table that is there keeps its own',
  },
);
export type PartitionByView = Static<typeof PartitionBy>;

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

/** A place of a stream's settings that does not fit what the source has, and the rule that it breaks. */
export const StreamFault = Type.Object({
  pointer: Type.String({ description: 'JSON pointer into the stream' }),
  code: Type.String(),
});

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
    schema_change_policy: OneOf(SCHEMA_CHANGE_POLICIES),
    partition_by: Nullable(PartitionBy),
    kept_in_extra: Type.Array(Type.String(), {
      description:
        'Fields without a column of their own: the name is reserved, or differs from that of another field in case alone. Their values are in _extra. Of such names, one that the table has already is its column',
    }),
    destination: Type.Object({
      namespace: Type.String(),
      table: TableName,
      dataset_id: Type.String({ description: 'bronze.<scope>.<table>' }),
    }),
    needs_attention: Type.Boolean({ description: 'What the source has now no longer fits the settings' }),
    attention: Type.Array(StreamFault, { description: 'Why it needs attention; empty when it does not' }),
    generation: Type.Integer({ description: 'Counts on with every reset' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    etag: Type.String(),
  }),
]);
export type StreamView = Static<typeof Stream>;

/** The part of a stream that people decide; all of it may be left out. */
export const streamSettings = {
  enabled: Type.Optional(Type.Boolean()),
  sync_mode: Type.Optional(OneOf(SYNC_MODES)),
  write_mode: Type.Optional(OneOf(WRITE_MODES)),
  cursor_field: Type.Optional(Nullable(FieldPath)),
  primary_key: Type.Optional(Nullable(KeyPaths)),
  schema_change_policy: Type.Optional(
    OneOf(SCHEMA_CHANGE_POLICIES, {
      description: 'What a sync does with fields that no column holds: columns, a refusal, or _extra',
    }),
  ),
  partition_by: Type.Optional(Nullable(PartitionBy)),
  destination: Type.Optional(Closed({ table: TableName })),
};

const Named = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME, description }));

/** Parameters of every route of one stream. */
export const streamParams = Closed({ source_id: idOf('source'), stream_id: idOf('stream') });

/** `GET /sources/{source_id}/streams` */
export const listStreams = endpoint({
  id: 'sources.list_streams',
  method: 'GET',
  path: '/sources/:source_id/streams',
  summary: 'List the streams of a source',
  access: readSources,
  params: Closed({ source_id: idOf('source') }),
  query: listQuery(['name', 'created_at'], {
    enabled: Type.Optional(Type.Boolean({ description: 'Only enabled streams, or only disabled ones' })),
    needs_attention: Type.Optional(Type.Boolean({ description: 'Only streams whose settings no longer fit' })),
    sync_mode: Type.Optional(OneOf(SYNC_MODES, { description: 'Only streams of this sync mode' })),
    write_mode: Type.Optional(OneOf(WRITE_MODES, { description: 'Only streams of this write mode' })),
    name: Named('Only streams of this name'),
    namespace: Named('Only streams of this namespace'),
  }),
  response: Page(Stream),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken],
  cli: {
    words: 'sources streams list',
    columns: [
      'stream_id',
      'namespace',
      'name',
      'enabled',
      'needs_attention',
      'sync_mode',
      'write_mode',
      'cursor_field',
      'destination.dataset_id',
    ],
  },
});

/** `GET /sources/{source_id}/streams/{stream_id}` (ours): what `Location` of a new stream names. */
export const getStream = endpoint({
  id: 'sources.get_stream',
  method: 'GET',
  path: '/sources/:source_id/streams/:stream_id',
  summary: 'Read one stream of a source',
  access: readSources,
  params: streamParams,
  response: Stream,
  errors: [kernelProblems.notFound],
});

/** `PATCH /sources/{source_id}/streams/{stream_id}`: a JSON merge patch; `null` clears cursor and key. */
export const updateStream = endpoint({
  id: 'sources.update_stream',
  method: 'PATCH',
  path: '/sources/:source_id/streams/:stream_id',
  summary: 'Change how a stream is synced',
  access: writeSources,
  params: streamParams,
  body: Closed(streamSettings),
  example: { enabled: true, schema_change_policy: 'evolve' },
  declarative: true,
  response: Stream,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    sourceProblems.streamNotSyncable,
    sourceProblems.partitioningFixed,
    sourceProblems.destinationTaken,
  ],
  cli: 'sources streams set',
});
