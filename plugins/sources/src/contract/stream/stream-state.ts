import { type Static, Type } from '@sinclair/typebox';
import { endpoint, Id, kernelProblems, Nullable } from '@weir/kernel/contract';
import { writeSources } from '../access.ts';
import { streamParams } from './streams.ts';

/** From where the next sync of a stream reads on. */
export const StreamState = Type.Object({
  stream_id: Id,
  dataset_id: Type.String({ description: 'The table whose last commit stored the state' }),
  state: Nullable(
    Type.String({
      description: 'JSON as the connector sent it, digit by digit; null when the next sync reads everything',
    }),
  ),
  run_id: Nullable(Type.String({ description: 'The sync that stored it' })),
});
export type StreamStateView = Static<typeof StreamState>;

/** `GET /sources/{source_id}/streams/{stream_id}/state` (ours): for people who may change the stream, as it holds values of rows. */
export const getStreamState = endpoint({
  id: 'sources.get_stream_state',
  method: 'GET',
  path: '/sources/:source_id/streams/:stream_id/state',
  summary: 'Read the stored state of a stream',
  access: writeSources,
  params: streamParams,
  response: StreamState,
  errors: [kernelProblems.notFound],
  cli: 'sources streams state',
});
