import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  Nullable,
  runFacts,
  runProblems,
} from '@weir/kernel/contract';
import { readSources, runSources } from '../access.ts';
import { sourceProblems } from '../problems.ts';
import { startQuery } from './syncs.ts';

const MAX_REASONS = 32;
const MAX_DATASET_ID = 255;

const ReasonCount = Type.Object({ reason: Type.String(), lines: Type.Integer({ minimum: 0 }) });

/** What became of the lines that a replay has read. */
export const ReplayOutcome = Type.Object({
  lines: Type.Integer({ minimum: 0, description: 'Lines that were read from the quarantine table' }),
  superseded: Type.Integer({
    minimum: 0,
    description: 'Lines of syncs whose rows a later one has replaced: they were not tried, and stay in quarantine',
  }),
  rows: Type.Integer({ minimum: 0, description: 'Of them, those that are rows of the table now' }),
  rows_with_errors: Type.Integer({ minimum: 0 }),
  rows_with_extra: Type.Integer({ minimum: 0 }),
  rejected: Type.Integer({ minimum: 0, description: 'Those that stay in quarantine' }),
  reasons: Type.Array(ReasonCount, { description: 'Why they stay, now' }),
  snapshot_id: Nullable(
    Type.String({ description: 'Of the table, a decimal string; null when nothing changed there' }),
  ),
});
export type ReplayOutcomeView = Static<typeof ReplayOutcome>;

const asked = {
  dataset_id: Type.String({
    minLength: 1,
    maxLength: MAX_DATASET_ID,
    description: 'The dataset of a stream, whose quarantine table is meant',
  }),
  run_id: Type.Optional(Nullable(Id)),
  reasons: Type.Optional(
    Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: MAX_REASONS })),
  ),
};

/** `POST /sources/quarantine-replays` (ours) */
export const startReplay = endpoint({
  id: 'sources.start_quarantine_replay',
  method: 'POST',
  path: '/sources/quarantine-replays',
  summary: 'Retry lines in quarantine with the current settings of their stream',
  description:
    'Lines that are rows now go into the table, by append or by the key of the stream, and leave the quarantine table in the same commit; the others stay, with the reason that they have now. run_id takes only the lines of one sync, reasons only those of some reasons. Lines of a sync whose rows a later one has replaced, by an overwrite or after a reset, are not tried: they stay, counted as superseded. A row of a merged stream takes the place of the row of its key, so replay before newer rows of the same keys have come.',
  access: runSources,
  query: startQuery,
  body: Closed(asked),
  example: { dataset_id: 'bronze.demo.shop__orders', reasons: ['not_json'] },
  response: Type.Composite([Accepted, Type.Object({ source_id: Id, stream_id: Id })]),
  status: 202,
  location: '/sources/quarantine-replays/:run_id',
  errors: [
    kernelProblems.notFound,
    sourceProblems.streamNotSyncable,
    runProblems.runAlreadyActive,
    runProblems.noWorker,
  ],
});

/** `GET /sources/quarantine-replays/{replay_run_id}` (ours) */
export const getReplay = endpoint({
  id: 'sources.get_quarantine_replay',
  method: 'GET',
  path: '/sources/quarantine-replays/:replay_run_id',
  summary: 'Read the status of a replay of lines in quarantine',
  access: readSources,
  params: Closed({ replay_run_id: idOf('run of the replay') }),
  response: Type.Object({
    ...runFacts,
    source_id: Id,
    stream_id: Id,
    dataset_id: Type.String(),
    only_run_id: Nullable(Id),
    reasons: Nullable(Type.Array(Type.String())),
    outcome: Nullable(ReplayOutcome),
  }),
  errors: [kernelProblems.notFound],
});
