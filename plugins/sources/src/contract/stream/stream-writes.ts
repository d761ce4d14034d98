import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, idOf, kernelProblems, Nullable, OneOf, runProblems } from '@weir/kernel/contract';
import { writeSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import {
  FieldPath,
  KeyPaths,
  RecordSchema,
  Stream,
  StreamName,
  StreamNamespace,
  SYNC_MODES,
  streamParams,
  streamSettings,
} from './streams.ts';

export const MAX_BULK_STREAMS = 1000;

const sourceParams = Closed({ source_id: idOf('source') });

/** What is said of a stream that the service is to take as the source has it. */
const facts = {
  namespace: Type.Optional(Nullable(StreamNamespace)),
  supported_sync_modes: Type.Optional(Type.Array(OneOf(SYNC_MODES), { minItems: 1, uniqueItems: true })),
  source_defined_cursor: Type.Optional(Type.Boolean()),
  default_cursor_field: Type.Optional(Nullable(FieldPath)),
  source_defined_primary_key: Type.Optional(Nullable(KeyPaths)),
};

/** A stream that is described by hand; what is left out has the defaults of a discovered one. */
export const NewStream = Closed({ name: StreamName, schema: RecordSchema, ...facts, ...streamSettings });
export type NewStreamBody = Static<typeof NewStream>;

const settingErrors = [
  kernelProblems.notFound,
  kernelProblems.preconditionFailed,
  sourceProblems.streamNotSyncable,
  sourceProblems.partitioningFixed,
  sourceProblems.destinationTaken,
  sourceProblems.namespaceRefused,
  sourceProblems.streamSchemaInvalid,
  sourceProblems.streamNameTaken,
];

/** `POST /sources/{source_id}/streams`: the stream is as the body says. */
export const createStream = endpoint({
  id: 'sources.create_stream',
  method: 'POST',
  path: '/sources/:source_id/streams',
  summary: 'Add a stream to a source',
  description:
    'Without enabled, sync_mode and write_mode the stream is disabled, full_refresh and overwrite. The namespace, when there is one, is a container of the source and never the name of the stream itself.',
  access: writeSources,
  params: sourceParams,
  body: NewStream,
  example: {
    name: 'refunds',
    schema: { type: 'object', properties: { id: { type: 'integer' }, total: { type: 'number' } } },
    enabled: true,
    write_mode: 'append',
  },
  declarative: true,
  response: Stream,
  status: 201,
  location: '/sources/:source_id/streams/:stream_id',
  errors: settingErrors,
});

/** `DELETE /sources/{source_id}/streams/{stream_id}`: its table and its runs stay. */
export const deleteStream = endpoint({
  id: 'sources.delete_stream',
  method: 'DELETE',
  path: '/sources/:source_id/streams/:stream_id',
  summary: 'Remove a stream from its source; its table stays',
  access: writeSources,
  params: streamParams,
  status: 204,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed, runProblems.runAlreadyActive],
});

/** One stream of a bulk request, named by its id or by its name. */
export const BulkStream = Closed(
  {
    stream_id: Type.Optional(Id),
    name: Type.Optional(StreamName),
    etag: Type.Optional(Type.String({ maxLength: 64, description: 'Refuse unless the stream still has this etag' })),
    delete: Type.Optional(Type.Boolean({ description: 'true removes the stream; its table stays' })),
    schema: Type.Optional(RecordSchema),
    ...facts,
    ...streamSettings,
  },
  {
    oneOf: [
      { type: 'object', required: ['stream_id'] },
      { type: 'object', required: ['name'] },
    ],
  },
);
export type BulkStreamBody = Static<typeof BulkStream>;

export const BULK_ACTIONS = ['created', 'updated', 'unchanged', 'deleted'] as const;

/** What became of the streams of a bulk request, in its order. */
export const BulkResult = Type.Object({
  results: Type.Array(
    Type.Object({
      action: OneOf(BULK_ACTIONS),
      stream_id: Id,
      name: Type.String(),
      stream: Nullable(Stream),
    }),
  ),
});
export type BulkResultView = Static<typeof BulkResult>;

/** `POST /sources/{source_id}/streams/bulk`: all of it or nothing. */
export const bulkStreams = endpoint({
  id: 'sources.bulk_streams',
  method: 'POST',
  path: '/sources/:source_id/streams/bulk',
  summary: 'Create, change and remove many streams of a source at once',
  description:
    'A stream that is named by its id, or by a name that the source knows, is changed; one with a new name is made, and needs its schema. Everything is done in one transaction; when anything is refused nothing is, and each fault has its pointer.',
  access: writeSources,
  params: sourceParams,
  body: Closed({ streams: Type.Array(BulkStream, { minItems: 1, maxItems: MAX_BULK_STREAMS }) }),
  example: {
    streams: [
      {
        name: 'returns',
        schema: { type: 'object', properties: { id: { type: 'integer' }, total: { type: 'number' } } },
        enabled: true,
      },
    ],
  },
  declarative: true,
  response: BulkResult,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    sourceProblems.streamsRefused,
    sourceProblems.destinationTaken,
    runProblems.runAlreadyActive,
  ],
});
