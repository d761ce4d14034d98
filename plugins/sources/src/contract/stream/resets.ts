import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, idOf, kernelProblems, Nullable, runProblems, Timestamp } from '@weir/kernel/contract';
import { readSources, writeSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { Stream, streamParams } from './streams.ts';

/** What a reset of a stream means, before it is done. */
export const ResetConsequence = Type.Object({
  stream_id: Id,
  name: Type.String(),
  namespace: Nullable(Type.String()),
  dataset_id: Type.String(),
  table_exists: Type.Boolean(),
  rows: Nullable(
    Type.String({ pattern: '^[0-9]+$', description: 'Rows of the table now; null when its snapshots do not say' }),
  ),
  snapshot_id: Nullable(Type.String({ description: 'The newest snapshot now, a decimal string; it stays readable' })),
  state_dropped: Type.Boolean({ description: 'Whether there is a stored state, which the next sync would go on from' }),
  rows_replaced: Type.Boolean({ description: 'Whether the next sync replaces the rows of the table, in one commit' }),
  deleted_now: Type.Boolean({ description: 'Always false: a reset itself deletes nothing' }),
  generation: Type.Object({ from: Type.Integer(), to: Type.Integer() }),
  last_commit_at: Nullable(Timestamp),
  sentences: Type.Array(Type.String(), { description: 'The same for people' }),
  etag: Type.String({ description: 'To be sent back as If-Match' }),
});
export type ResetConsequenceView = Static<typeof ResetConsequence>;

/** `GET /sources/{source_id}/streams/{stream_id}/reset` (ours) */
export const previewReset = endpoint({
  id: 'sources.preview_reset',
  method: 'GET',
  path: '/sources/:source_id/streams/:stream_id/reset',
  summary: 'Show what a reset of a stream would do',
  access: readSources,
  params: streamParams,
  response: ResetConsequence,
  errors: [kernelProblems.notFound],
});

/** `POST /sources/{source_id}/streams/{stream_id}/reset` (ours) */
export const resetStream = endpoint({
  id: 'sources.reset_stream',
  method: 'POST',
  path: '/sources/:source_id/streams/:stream_id/reset',
  summary: 'Let the next sync of a stream start from nothing and replace the rows of its table',
  description: 'If-Match is required: GET of the same path tells the consequences and the etag to send.',
  access: writeSources,
  params: streamParams,
  response: Stream,
  errors: [
    sourceProblems.ifMatchRequired,
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    runProblems.runAlreadyActive,
  ],
});

/** What a reset of all streams of a source means, before it is done and right after. */
export const SourceReset = Type.Object({
  source_id: Id,
  streams: Type.Integer({ description: 'All streams of the source, disabled ones too' }),
  enabled: Type.Integer({ description: 'Those of them that the next sync reads' }),
  sentences: Type.Array(Type.String(), { description: 'What a reset means, for people' }),
  etag: Type.String({ description: 'To be sent back as If-Match' }),
});
export type SourceResetView = Static<typeof SourceReset>;

const sourceParams = Closed({ source_id: idOf('source') });

/** `GET /sources/{source_id}/reset` (ours) */
export const previewSourceReset = endpoint({
  id: 'sources.preview_source_reset',
  method: 'GET',
  path: '/sources/:source_id/reset',
  summary: 'Show what a reset of all streams of a source would do',
  access: readSources,
  params: sourceParams,
  response: SourceReset,
  errors: [kernelProblems.notFound],
});

/** `POST /sources/{source_id}/reset` (ours) */
export const resetSource = endpoint({
  id: 'sources.reset_source',
  method: 'POST',
  path: '/sources/:source_id/reset',
  summary: 'Let the next sync of all streams of a source start from nothing and replace the rows of their tables',
  description: 'If-Match is required: GET of the same path tells the consequences and the etag to send.',
  access: writeSources,
  params: sourceParams,
  response: SourceReset,
  errors: [
    sourceProblems.ifMatchRequired,
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    runProblems.runAlreadyActive,
  ],
});
