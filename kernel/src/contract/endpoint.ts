import type { Static, TSchema } from '@sinclair/typebox';
import type { Access } from './access.ts';
import type { ProblemType } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One route as data. Types, validation, authorisation, OpenAPI, client, CLI and tests are all made from this value.
 * Object schemas of `body` must be closed (`additionalProperties: false`), which boot checks.
 */
export interface Endpoint<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  /** `plugin.verb_noun`, unique; becomes the OpenAPI operationId. */
  id: string;
  method: Method;
  /** With `:name` parameters and perhaps a last `*name` that takes the rest, below `/api/v1` unless `mount` is `root`. */
  path: string;
  mount?: 'api' | 'root';
  summary: string;
  description?: string;
  access: Access;
  params?: P;
  query?: Q;
  body?: B;
  /** A body that documents show: names of nothing, ids that are `EXAMPLE_ID`. */
  example?: Static<B>;
  /** Absent for 204. */
  response?: R;
  /** 200 unless given. */
  status?: 200 | 201 | 202 | 204;
  /** Answers 200 in place of its status when it made nothing; the handler says so by `unchanged`. */
  unchanged?: true;
  /** `Location` of what was made or started; `:names` are filled from the parameters and the response. */
  location?: string;
  /** Members of the answer that are shown once: an idempotency key remembers null in their place. */
  shownOnce?: readonly string[];
  /** The body may also be sent as `application/yaml`; for routes that take configuration. */
  declarative?: true;
  /** The body is bytes, which the handler reads as `content`; `body` is absent. */
  consumes?: 'application/octet-stream';
  /** 1 MiB unless given. */
  maxBodyBytes?: number;
  /** What it answers at a path never changes: caches may keep it for a year. Other answers are never stored. */
  cache?: 'immutable';
  /** Media types that it may answer with beside JSON, which goes first unless it is listed; `Accept` chooses. */
  produces?: readonly string[];
  /** Kept for old clients only: since that day, with the path of what takes its place. Answers tell both. */
  deprecated?: { since: string; successor: string };
  /** What this endpoint may answer beyond the kernel's own problems. */
  errors?: ProblemType[];
  /** The CLI command made from this endpoint: its words, such as `sources get`, or these and how it looks. */
  cli?: string | CliCommand;
}

/** Words of a command, columns of its tables (`a.b as c`; under the heading `age` a time is shown as how long ago it was), flags not named as their members, its question before it acts. */
interface CliCommand {
  words: string;
  columns?: readonly string[];
  flags?: Readonly<Record<string, string>>;
  confirm?: string;
  examples?: readonly (readonly [what: string, line: string])[];
}

/** Declares an endpoint; the schemas keep their exact types. */
export function endpoint<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
>(declared: Endpoint<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return declared;
}

type Part<S> = TSchema extends S ? undefined : S extends TSchema ? Static<S> : undefined;

/** What a caller gives: parameters, query and body as the endpoint declares them. */
export type Input<E> =
  E extends Endpoint<infer P, infer Q, infer B, infer _R> ? { params: Part<P>; query: Part<Q>; body: Part<B> } : never;

/** What an endpoint answers on success. */
export type Output<E> =
  E extends Endpoint<infer _P, infer _Q, infer _B, infer R> ? (TSchema extends R ? undefined : Static<R>) : never;

/** The full path of an endpoint with its `:names` still in place. */
export function fullPath(declared: Pick<Endpoint, 'path' | 'mount'>): string {
  return declared.mount === 'root' ? declared.path : `/api/v1${declared.path}`;
}

/** Names of the parameters in a path. */
export const pathNames = (path: string): string[] => [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);

/** Fills the names of a path template from the given values, URL-encoded; throws on a missing one. */
export function fillPath(template: string, values: Record<string, unknown>): string {
  return template.replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = values[name];
    if (value === undefined || value === null) throw new Error(`path ${template} needs ${name}`);
    const parts = kind === '*' ? String(value).split('/') : [String(value)];
    return parts.map(encodeURIComponent).join('/');
  });
}

/** Whether a call may leave its body out, which is then an empty object: one that starts or removes, and demands no member. */
export function mayLeaveBodyOut({ method, body }: Pick<Endpoint, 'method' | 'body'>): boolean {
  if (method !== 'POST' && method !== 'DELETE') return false;
  return body?.type === 'object' && (body.required ?? []).length === 0 && body.minProperties === undefined;
}
