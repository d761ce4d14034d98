import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, idOf, kernelProblems, Nullable, OneOf, runProblems } from '@weir/kernel/contract';
import { writeSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { DiscoveryWarning } from './discovery-warning.ts';
import { FieldPath, KeyPaths, RecordSchema, StreamFault, StreamName, SYNC_MODES } from './streams.ts';

/** How many streams one source can hold. */
export const MAX_STREAMS = 5_000;
const MAX_NAMESPACE = 512;
const MAX_REFERENCE = 200;

/** One stream of a discovery snapshot, in the shape in which `GET /sources/discover/status/{workflow_id}` shows it. */
export const SnapshotStream = Closed({
  name: StreamName,
  namespace: Type.Optional(Nullable(Type.String({ maxLength: MAX_NAMESPACE }))),
  schema: RecordSchema,
  supported_sync_modes: Type.Array(OneOf(SYNC_MODES), { minItems: 1 }),
  source_defined_cursor: Type.Optional(Type.Boolean()),
  default_cursor_field: Type.Optional(Nullable(FieldPath)),
  source_defined_primary_key: Type.Optional(Nullable(KeyPaths)),
});
export type SnapshotStreamBody = Static<typeof SnapshotStream>;

const streamLabel = { name: Type.String(), namespace: Nullable(Type.String()) };

/** A field that one schema has and the other has not, or has in another way. */
export const FieldChange = Type.Object({
  path: Type.Array(Type.String(), { description: 'Path of the field within a record, outermost first' }),
  change: OneOf(['added', 'removed', 'changed']),
  from: Nullable(Type.String({ description: 'Type before, for people' })),
  to: Nullable(Type.String({ description: 'Type after, for people' })),
});

/** What a refresh does, or would do, to the streams of a source. */
export const RefreshDiff = Type.Object({
  added: Type.Array(
    Type.Object({ ...streamLabel, dataset_id: Type.String(), supported_sync_modes: Type.Array(OneOf(SYNC_MODES)) }),
  ),
  changed: Type.Array(
    Type.Object({
      stream_id: Id,
      ...streamLabel,
      fields: Type.Array(FieldChange),
      supported_sync_modes: Nullable(
        Type.Object({ from: Type.Array(OneOf(SYNC_MODES)), to: Type.Array(OneOf(SYNC_MODES)) }),
      ),
    }),
  ),
  removed: Type.Array(
    Type.Object({
      stream_id: Id,
      ...streamLabel,
      enabled: Type.Boolean(),
      dataset_id: Type.String({ description: 'Its table, which stays' }),
    }),
  ),
  needs_attention: Type.Array(
    Type.Object({
      stream_id: Id,
      ...streamLabel,
      enabled: Type.Boolean({ description: 'An enabled one keeps the source from being synced' }),
      attention: Type.Array(StreamFault),
    }),
  ),
  table_conflicts: Type.Array(
    Type.Object({
      stream_id: Id,
      ...streamLabel,
      dataset_id: Type.String(),
      columns: Type.Array(Type.String(), {
        description:
          'Columns whose table keeps its type: a value that does not fit it is NULL there, with its text in _extra. A reset, or an overwriting full refresh, gives the table the new type',
      }),
    }),
    { description: 'Changed streams that add to a table which cannot take a new type' },
  ),
  warnings: Type.Array(DiscoveryWarning, {
    description: 'Streams that the named discovery could not describe; known ones stay as they are',
  }),
  unchanged: Type.Integer({ description: 'How many known streams are in the snapshot just as they are' }),
});
export type RefreshDiffView = Static<typeof RefreshDiff>;
export type FieldChangeView = Static<typeof FieldChange>;

/** A snapshot, or the discovery of this source that found it: one too large for a request need not be sent. */
const RefreshBody = Closed(
  {
    streams: Type.Optional(Type.Array(SnapshotStream, { maxItems: MAX_STREAMS })),
    workflow_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_REFERENCE, description: 'Workflow id or run id of a discovery' }),
    ),
  },
  {
    oneOf: [
      { type: 'object', required: ['streams'] },
      { type: 'object', required: ['workflow_id'] },
    ],
  },
);

/** `POST /sources/{source_id}/streams/refresh-schema` */
export const refreshSchema = endpoint({
  id: 'sources.refresh_schema',
  method: 'POST',
  path: '/sources/:source_id/streams/refresh-schema',
  summary: 'Bring the streams of a source in line with a complete discovery snapshot',
  description:
    'Streams are matched by name. Of known ones only schema and supported_sync_modes change; new ones are made disabled, as stream_defaults of the pattern say where they can be, else full_refresh and overwrite; known ones that the snapshot lacks are removed, and their tables stay. An empty snapshot changes nothing. A stream whose cursor, key or mode the source no longer has needs attention and stays as it is configured. Instead of the streams the body may name a succeeded discovery of this source that found them. With dry_run=true the answer is the same and nothing is changed.',
  access: writeSources,
  params: Closed({ source_id: idOf('source') }),
  query: Closed({ dry_run: Type.Optional(Type.Boolean({ description: 'Only tell what would change' })) }),
  body: RefreshBody,
  example: {
    streams: [
      {
        name: 'orders',
        schema: { type: 'object', properties: { id: { type: 'integer' }, total: { type: 'number' } } },
        supported_sync_modes: ['full_refresh'],
      },
    ],
  },
  declarative: true,
  response: RefreshDiff,
  errors: [
    kernelProblems.notFound,
    sourceProblems.streamNameRepeated,
    sourceProblems.streamSchemaInvalid,
    sourceProblems.discoveryNotUsable,
    runProblems.runAlreadyActive,
  ],
});
