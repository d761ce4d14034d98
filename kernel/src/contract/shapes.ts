import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { NextSteps } from './next-steps.ts';

/** A server-made UUIDv7. */
export const Id = Type.String({ format: 'uuid', description: 'A server-made UUIDv7' });

/** The id in examples of bodies, which is that of nothing. */
export const EXAMPLE_ID = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';

/** An id in a path or a query: `idOf('source')`. */
export const idOf = (noun: string) => Type.String({ format: 'uuid', description: `Id of the ${noun}` });

/** ISO 8601 in UTC, ending in Z. */
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** The `name` of sources, transforms, pipelines and policies. */
export const Name = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'A lower-case letter, then lower-case letters, digits, _ and -; at most 63; unique per tenant',
});

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 500;

/** A value, or null on the wire. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A union of string literals that JSON Schema readers see as one `enum`. */
export const OneOf = <const T extends string>(
  values: readonly T[],
  options: { default?: T; description?: string } = {},
) => Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

/** The list answer of every list route. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next_page_token: Nullable(Type.String()), total: Nullable(Type.Integer()) });

/** `limit` and `page_token` of a list route. */
export const paging = (size = DEFAULT_PAGE_SIZE, description = 'How many at most') => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: size, description })),
  page_token: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Where the page before ended: its next_page_token' }),
  ),
});

/** `order` of a list route; the first one is the default. */
export const sorting = <const T extends string>(orders: readonly T[]) =>
  Type.Optional(OneOf(orders, { description: `Field to order by, -field for descending; ${orders[0]} unless given` }));

/** The query of a list route: paging, `order` by a field or in reverse (`-field`), and the filters of the resource. */
export function listQuery<T extends TProperties>(orders: readonly [string, ...string[]], filters: T) {
  return Closed({ ...paging(), order: sorting(orders.flatMap((field) => [field, `-${field}`])), ...filters });
}

/** A closed object: the only kind a request body may be. */
export const Closed = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const RUN_STATUSES = ['pending', 'running', 'succeeded', 'failed', 'cancelled', 'skipped'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const TERMINAL_RUN_STATUSES: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled', 'skipped'];

/** Who carries a run out: a workflow of ours, whoever asked for it, or the workflow of its parent. */
export const CARRIERS = ['workflow', 'caller', 'parent'] as const;

/** Where the cause of a failure lies; `data`: what was computed broke a rule of its owner. */
export const FAILURE_ORIGINS = ['source', 'destination', 'platform', 'config', 'data'] as const;

/** Why a run failed, in the words of the problem catalogue. */
export const RunFailure = Type.Object({
  code: Type.String(),
  origin: OneOf(FAILURE_ORIGINS),
  retryable: Type.Boolean(),
  detail: Type.String(),
  hint: Nullable(Type.String()),
  next: NextSteps,
});

/** What every route shows of a run, whatever its kind. */
export const runFacts = {
  run_id: Id,
  workflow_id: Type.String({ description: 'The workflow that carries it out: of a part that of its whole' }),
  status: OneOf(RUN_STATUSES),
  is_terminal: Type.Boolean(),
  attempt: Type.Integer({ description: '0 until a worker has begun it' }),
  requested_by: Type.String(),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  failure: Nullable(RunFailure),
};

/** What the caller of a start should know although it was accepted, such as `no_worker`. */
export const StartWarning = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  last_seen_at: Nullable(Timestamp),
});

/** The answer of every asynchronous start. */
export const Accepted = Type.Object({ workflow_id: Type.String(), run_id: Id, warning: Nullable(StartWarning) });

/** What the engine says of the worker of an open run. */
export const WORKER_STATES = ['waiting', 'working', 'none', 'gone', 'unknown'] as const;
export const RunWorker = Type.Object({
  state: OneOf(WORKER_STATES, {
    description:
      'working: it reports progress; waiting: one polls and will take it; none: no worker polls for it; gone: it had one, and none polls now; unknown: the engine does not answer',
  }),
  last_seen_at: Nullable(Timestamp),
  detail: Type.String(),
});

const SAID = { message: Type.Optional(Type.String()), known: Type.Optional(Type.Array(Type.String())) };

/** The problem document of RFC 9457 with the members that every code has or may have. */
export const ProblemShape = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String(),
  trace_id: Type.String(),
  hint: Type.Optional(Type.String()),
  next: NextSteps,
  retry_after_seconds: Type.Optional(Type.Integer()),
  errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), ...SAID }))),
});
