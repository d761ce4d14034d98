import type { Readable } from 'node:stream';
import type { TSchema } from '@sinclair/typebox';
import { goneSignal } from '@weir/http-limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Logger } from 'pino';
import type { Principal, Tenant } from '../contract/caller.ts';
import { type Endpoint, fillPath, fullPath, type Input, mayLeaveBodyOut, type Output } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import { logKeys } from '../log/log.ts';
import type { Authenticate } from './authenticate.ts';
import type { Answer, IdempotencyStore } from './idempotency.ts';
import { isRaw, isUnchanged, type Raw } from './raw.ts';
import { signedBody } from './signed-body.ts';
import { bytesOnly, contentOf } from './streamed-body.ts';

const JSON_TYPE = 'application/json';
/** The smallest result first. */
const CODINGS = ['br', 'gzip'];

type InnerInput = Partial<Record<'params' | 'query', Record<string, string>> & { body: object | ''; ifMatch: string }>;

/** What a route's function gets besides the parts that its endpoint declares. */
export interface CallContext {
  /** The resolved tenant; absent for public and platform routes, whose endpoints have another access kind, and for several `tenants`. */
  tenant: Tenant;
  /** The tenant, or all in which a client that named none may do this, in the order of their aliases. */
  tenants: readonly Tenant[];
  principal: Principal;
  /** The value of `If-Match`, to be given to `requireMatch` with the etag of the row that is changed. */
  ifMatch: string | undefined;
  /** The value of `Last-Event-ID`: where a reader of events was when it lost its stream. */
  lastEventId: string | undefined;
  /** The media type to answer with: JSON, or one that the endpoint `produces` and the caller prefers. */
  mediaType: string;
  /** Content codings that the caller takes, the smallest result first: `br`, `gzip`. */
  readonly codings: readonly string[];
  /** The body of an endpoint that `consumes` bytes; fails beyond its limit, and when the caller breaks off. */
  readonly content: Readable;
  /** Aborts when the caller has gone away before the answer was sent. */
  signal: AbortSignal;
  /** Throws what a new call with the same token would be refused with now; for answers that last. */
  recheck(): Promise<void>;
  /** Makes another call of this API as this caller; every wall of the server holds for it. */
  call(to: Endpoint, input: InnerInput): Promise<{ status: number; body: unknown }>;
  traceId: string;
  log: Logger;
}

/** An endpoint with the function that carries it out. */
export interface Route<E extends Endpoint = Endpoint> {
  endpoint: E;
  run: (input: Input<E> & CallContext) => Promise<Output<E> | Raw>;
}

/** A route whose types have been forgotten, as lists of routes hold it. */
export interface AnyRoute {
  endpoint: Endpoint;
  run: (input: never) => Promise<unknown>;
}

/** Binds an endpoint to its function; parameters, query, body and answer are typed by the endpoint. */
export function handle<E extends Endpoint>(endpoint: E, run: Route<E>['run']): AnyRoute {
  return { endpoint: endpoint as Endpoint, run: run as AnyRoute['run'] };
}

export interface RouteDeps {
  authenticate: Authenticate;
  idempotency: IdempotencyStore;
  plugin?: string;
}

/** Throws `precondition_failed` unless `If-Match` was absent, `*`, or names the current etag. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim().replace(/^"|"$/g, ''));
  if (!named.includes(etag)) throw kernelProblems.preconditionFailed();
}

/** Registers routes with the wire habits that all of them share: access, status, Location, ETag, idempotency. */
export function registerRoutes(app: FastifyInstance, routes: readonly AnyRoute[], deps: RouteDeps): void {
  for (const { endpoint, run } of routes) {
    app.route({
      method: endpoint.method,
      // Fastify calls the rest of a path `*`; `nameRest` gives it its name.
      url: fullPath(endpoint).replace(/\*\w+$/, '*'),
      schema: fastifySchema(endpoint),
      ...(endpoint.maxBodyBytes === undefined ? {} : { bodyLimit: endpoint.maxBodyBytes }),
      config: { endpoint, plugin: deps.plugin ?? 'kernel' },
      onRequest: deps.authenticate(endpoint, deps.plugin),
      ...(endpoint.access.kind === 'webhook' ? { preParsing: signedBody } : {}),
      ...(endpoint.consumes === undefined ? {} : { preParsing: bytesOnly }),
      ...(mayLeaveBodyOut(endpoint) ? { preValidation: emptyUnlessGiven } : {}),
      handler: async (request, reply) => {
        const input = inputOf(endpoint, request, reply);
        const work = async () => answer(endpoint, await run(input as never), request);
        const key = request.headers['idempotency-key'];
        const done =
          endpoint.method === 'POST' && key !== undefined
            ? await deps.idempotency.once({ key: String(key), endpoint, request }, work)
            : await work();
        if (!isRaw(done.body)) request.log = request.log.child(logKeys(done.body, request.params));
        return send(reply, done);
      },
    });
  }
}

async function emptyUnlessGiven(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

function inputOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Record<string, unknown> {
  const { tenant, tenants = tenant ? [tenant] : [], principal, recheck = async () => undefined } = request.caller;
  return {
    params: request.params,
    query: request.query,
    body: request.body,
    tenant,
    tenants,
    principal,
    ifMatch: request.headers['if-match'],
    lastEventId: request.headers['last-event-id']?.toString(),
    mediaType: mediaTypeOf(endpoint, request),
    recheck,
    async call(to: Endpoint, { params = {}, body: payload = '', ifMatch, ...rest }: InnerInput) {
      const sent = { authorization: request.headers.authorization ?? '', 'x-tenant-id': tenant?.alias ?? '' };
      const match = ifMatch && { 'if-match': ifMatch };
      const headers = { ...sent, ...match, traceparent: `00-${request.id}-${request.id.slice(16)}-01` };
      const [url, remoteAddress] = [fillPath(fullPath(to), params), request.ip];
      const answer = await request.server.inject({ method: to.method, url, headers, payload, remoteAddress, ...rest });
      return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
    },
    get codings() {
      const taken = new Negotiator(request.raw).encodings(CODINGS);
      return CODINGS.filter((coding) => taken.includes(coding));
    },
    // Few routes wait for anything that a caller may leave.
    get content() {
      return contentOf(request);
    },
    get signal() {
      return goneSignal(reply);
    },
    traceId: request.id,
    log: request.log,
  };
}

/** Throws `not_acceptable` when the endpoint has more than one form and the caller wants none of them. */
function mediaTypeOf({ produces, response }: Endpoint, request: FastifyRequest): string {
  if (produces === undefined) return JSON_TYPE;
  const jsonFirst = response !== undefined && !produces.includes(JSON_TYPE);
  const best = new Negotiator(request.raw).mediaType(jsonFirst ? [JSON_TYPE, ...produces] : [...produces]);
  if (best === undefined) throw kernelProblems.notAcceptable();
  return best;
}

function answer(endpoint: Endpoint, body: unknown, request: FastifyRequest): Answer {
  const headers = deprecationHeaders(endpoint, request.params);
  if (isRaw(body)) return { status: 200, headers: { ...headers, ...body.headers, 'content-type': body.type }, body };
  const named = { ...(request.params as object), ...(typeof body === 'object' ? body : {}) } as Record<string, unknown>;
  const isMade = !isUnchanged(body);
  if (endpoint.location !== undefined && isMade) headers.location = `/api/v1${fillPath(endpoint.location, named)}`;
  if (typeof named.etag === 'string') headers.etag = `"${named.etag}"`;
  return { status: isMade ? (endpoint.status ?? 200) : 200, headers, body };
}

/** RFC 9745, and the link of RFC 5829 to what to call instead. */
function deprecationHeaders({ deprecated }: Endpoint, params: unknown): Record<string, string> {
  if (deprecated === undefined) return {};
  const successor = `/api/v1${fillPath(deprecated.successor, params as Record<string, unknown>)}`;
  const since = Date.parse(deprecated.since) / 1_000;
  return { deprecation: `@${since}`, link: `<${successor}>; rel="successor-version"` };
}

function send(reply: FastifyReply, { status, headers, body }: Answer): unknown {
  reply.code(status).headers(headers);
  if (isRaw(body)) return reply.send(body.body);
  return status === 204 ? reply.send() : body;
}

function fastifySchema(endpoint: Endpoint): Record<string, unknown> {
  const { params, query, body, response } = endpoint;
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    ...(response === undefined ? {} : { response: { [endpoint.status ?? 200]: response as TSchema } }),
  };
}
