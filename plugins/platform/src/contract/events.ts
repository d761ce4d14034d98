import { type Static, Type } from '@sinclair/typebox';
import { endpoint, service } from '@weir/kernel/contract';
import { platformProblems } from './problems.ts';
import { mayLook } from './status.ts';

/** The form of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

/** How long a hint is kept; who was away longer reads everything again. */
export const HINTS_KEPT_MS = 60 * 60_000;
/** Hints that one JSON answer holds at most. */
export const MAX_POLLED_HINTS = 500;

const Topic = '[a-z][a-z-]{0,39}';

const EventsQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({
        pattern: `^${Topic}(,${Topic}){0,19}$`,
        description: 'Only these, separated by commas, such as run,source; all when absent',
      }),
    ),
    last_event_id: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Continue behind this hint; the header Last-Event-ID says the same and goes first',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A hint that something changed: read it again to see how. */
const EventHint = Type.Object({
  event_id: Type.String({ description: '<transaction>-<event>, to continue behind' }),
  topic: Type.String(),
  id: Type.String({ description: 'What has changed, such as a run_id' }),
  version: Type.String({ description: 'What it has changed to: a status or an etag' }),
});
export type EventHintView = Static<typeof EventHint>;

export const readEvents = endpoint({
  id: 'platform.read_events',
  method: 'GET',
  path: '/events',
  summary: 'Follow what changes in the tenant',
  description:
    'Topics are run (a run_id and its status), source (a source_id and its etag), transform (a transform_id and its etag, or deleted), pipeline (a pipeline_id and its etag with its states, or deleted) and dataset (a dataset_id and its newest snapshot id; s and the schema id behind it where only the columns changed). As text/event-stream: an event per hint, its data {topic, id, version}; a stream ends by itself from time to time, at the latest with its token, and is opened again with Last-Event-ID, which loses nothing. The event reset says that hints were missed: read again what is shown. As application/json: the hints behind last_event_id, at most 500; ask again from the last_event_id of the answer.',
  access: mayLook,
  query: EventsQuery,
  produces: [EVENT_STREAM, 'application/json'],
  response: Type.Object({ items: Type.Array(EventHint), last_event_id: Type.String(), reset: Type.Boolean() }),
  errors: [platformProblems.tooManyStreams],
});

/** What publishing needs of the caller's transaction. */
export interface PublishTransaction {
  readonly tenant: { readonly tenantId: string };
  sql(text: string, params: unknown[]): Promise<unknown>;
}

/** What has changed, and to what. */
export interface Hint {
  /** Lower case and hyphens, such as `source`; the noun of whoever publishes. */
  topic: string;
  /** The id of the thing that changed. */
  id: string;
  /** A status or an etag: whoever knows this version already need not read again. */
  version: string;
}

/** Tells the readers of a tenant's events that something changed. */
export interface EventsService {
  /** Writes the hint in the caller's transaction: it is told if, and only if, the change is committed. */
  publish(tx: PublishTransaction, hint: Hint): Promise<void>;
}

export const Events = service<EventsService>('platform.events@1');
