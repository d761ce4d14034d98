import { type Static, Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, Timestamp } from '@weir/kernel/contract';
import { writeSources } from '../access.ts';
import { discoveryParams } from './discovery.ts';

const LookPlace = Type.Object({
  file: Type.String(),
  line: Nullable(Type.Integer()),
  text: Type.String({ description: 'What stands there, cut where it is long' }),
});

/** Something that a person should know of a stream before it is loaded. */
export const LookNote = Type.Object({
  kind: Type.String({
    description:
      'kept_as_text, value_misfit, order_open, line_rejected, header_like_row or file_fails; others may be added',
  }),
  column: Nullable(Type.String()),
  reason: Nullable(Type.String({ description: 'Reason of a rejected line, or code of a file that fails' })),
  mostly: Nullable(Type.String({ description: 'What most values of a column of text are' })),
  fits: Nullable(Type.Integer({ description: 'How many values are' })),
  count: Type.Integer({ description: 'How many values, lines or files it is about' }),
  places: Type.Array(LookPlace, { description: 'The first of them' }),
});
export type LookNoteView = Static<typeof LookNote>;

const LookFile = Type.Object({
  name: Type.String(),
  format: Type.String(),
  encoding: Nullable(Type.String()),
  delimiter: Nullable(Type.String()),
  header_line: Nullable(Type.Integer({ description: 'The line that names the columns; null where none does' })),
});

/** What a stream will be, as its connector has seen it. */
export const StreamLook = Type.Object({
  name: Type.String(),
  files: Type.Array(LookFile),
  records: Type.Integer({ description: 'How many records were looked at' }),
  is_whole: Type.Boolean({ description: 'Whether there are no more records' }),
  rejected: Type.Integer({ description: 'How many of them are no rows' }),
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Array(Nullable(Type.String())), { description: 'The first rows as they will land, as texts' }),
  notes: Type.Array(LookNote),
});
export type StreamLookView = Static<typeof StreamLook>;

/** `GET /sources/discover/status/{workflow_id}/looks` (ours) */
export const readDiscoveryLooks = endpoint({
  id: 'sources.read_discovery_looks',
  method: 'GET',
  path: '/sources/discover/status/:workflow_id/looks',
  summary: 'Read the first rows of what a discovery found, before a source is made of it',
  description:
    'How each file was read, rows as they will land, and what will not fit. For a configuration that is no source yet, of connectors that can show it. It quotes content, so it is kept for a day, for those who may make the source.',
  access: writeSources,
  params: discoveryParams,
  response: Type.Object({
    streams: Type.Array(StreamLook),
    expires_at: Nullable({ ...Timestamp, description: 'When they are removed; null where there are none' }),
  }),
  errors: [kernelProblems.notFound],
  cli: 'sources discovery looks',
});
