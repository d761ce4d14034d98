import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { strictJson, strictYaml } from '@weir/documents';
import {
  bindCalls,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  endWithin,
  limitConnections,
  limitRequests,
  warnOfForwarders,
} from '@weir/http-limits';
import { readTraceparent } from '@weir/telemetry';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fastJson from 'fast-json-stringify';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import type { Logger } from 'pino';
import { accessFault } from '../auth/authorize.ts';
import { Refusal } from '../config/refusal.ts';
import { subjectOf } from '../contract/caller.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { ProblemType } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { logKeys } from '../log/log.ts';
import { firstSegment, nameRest, pathPattern } from '../routing/wildcards.ts';
import { headerValues } from './authenticate.ts';
import { answerProblem, answerProblems, problemDocument, toProblem } from './problem-answer.ts';
import { takeStreams } from './streamed-body.ts';

const JSON_TYPES = ['application/json', 'application/merge-patch+json'];
/** RFC 9512. */
const YAML_TYPE = 'application/yaml';
const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_PARAM_LENGTH = 512;
/** For the year that RFC 9111 caches keep at most, and no revalidation (RFC 8246). */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const TOO_MANY = 429;
const REFUSAL_MS = 200;
const newTraceId = () => randomBytes(16).toString('hex');

/** A registered route as the 405 answer, OpenAPI and the conformance checks see it. */
export interface DeclaredRoute {
  method: string;
  pattern: RegExp;
  /** The first one of its path. */
  segment: string;
  endpoint: Endpoint;
  plugin: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    declaredRoutes: DeclaredRoute[];
  }
}

/**
 * A server with the limits and habits of the whole platform: strict JSON, closed bodies, bounded sizes and times,
 * problem documents, and the guard that refuses at boot any route without an endpoint and its access rule.
 */
export function createServer(
  log: Logger,
  isProxy: (address: string) => boolean = () => false,
  limits: ConnectionLimits = CONNECTION_LIMITS,
): FastifyInstance {
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'trace_id' }),
    genReqId: ({ headers: { traceparent } }) => readTraceparent(traceparent)?.traceId ?? newTraceId(),
    requestIdHeader: false,
    trustProxy: isProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    connectionTimeout: limits.silenceMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      requireHostHeader: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, limits.lingerMs),
    frameworkErrors: (error, request, reply) => void answerProblem(toProblem(error), request, reply as FastifyReply),
  });
  limitConnections(app.server, limits, isProxy, log);
  limitRequests(app.server, limits);
  app.decorate('declaredRoutes', []);
  // biome-ignore lint/suspicious/noExplicitAny: fastify types request decorators by their initial value
  app.decorateRequest('caller', null as any);
  app.removeAllContentTypeParsers();
  // Many clients name the type of a body that they do not send.
  const json = async (_request: FastifyRequest, body: Buffer) => (body.length === 0 ? undefined : strictJson(body));
  app.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, json);
  app.addContentTypeParser(YAML_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (!request.routeOptions.config.endpoint?.declarative) throw kernelProblems.unsupportedMediaType();
    return strictYaml(body);
  });
  bindCalls(app, ({ caller: known }) => ({
    tenant: known?.tenant?.tenantId ?? '',
    caller: known ? subjectOf(known.principal) : '',
  }));
  takeStreams(app, limits);
  useValidators(app);
  guardRoutes(app);
  warnOfForwarders(app, isProxy);
  answerProblems(app);
  refuseOddHeads(app);
  refuseCodedBodies(app);
  app.addHook('onRequest', async (request) => {
    nameRest(request);
    request.log = request.log.child(logKeys(request.params));
  });
  app.addHook(
    'onResponse',
    async ({ log, method, routeOptions: { url: route } }, { statusCode: status, elapsedTime }) => {
      log.info({ method, route, status, ms: Math.round(elapsedTime) }, 'answered');
    },
  );
  app.addHook('preValidation', async ({ params, query, body, routeOptions }) => {
    // What a route does not read must not look as if it had been obeyed; an empty object says nothing.
    const { endpoint } = routeOptions.config;
    // A request that met no route is told so, whatever it carries.
    const unread = endpoint !== undefined && endpoint.body === undefined && Object.keys(body ?? {}).length > 0;
    if (unread) throw kernelProblems.validationFailed({ errors: [{ pointer: '', code: 'no_body' }] });
    const hasNoQuery = endpoint !== undefined && endpoint.mount !== 'root' && endpoint.query === undefined;
    if (hasNoQuery && Object.keys(query ?? {}).length > 0)
      throw kernelProblems.validationFailed({ errors: [{ pointer: '/query', code: 'unknown' }] });
    // Neither the database nor a file name can hold NUL, so no route needs to meet one.
    const texts = [...Object.values(params ?? {}), ...Object.values(query ?? {})];
    if (texts.some((text) => String(text).includes('\0'))) throw kernelProblems.validationFailed();
  });
  app.addHook('onSend', async ({ routeOptions }, reply) => {
    const isKept = routeOptions.config.endpoint?.cache === 'immutable' && reply.statusCode === 200;
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': isKept ? IMMUTABLE : 'no-store' });
    // Who asks again at once in spite of Retry-After would be refused as fast as the process can.
    if (reply.statusCode === TOO_MANY) await delay(REFUSAL_MS);
  });
  return app;
}

/**
 * Bodies are taken exactly as sent; parameters and queries are text on the wire, so their numbers are read. A schema is
 * compiled when it is first needed, as to compile them all is half of the time that a start takes; what is none is refused at once.
 */
function useValidators(app: FastifyInstance): void {
  const options = {
    removeAdditional: false,
    useDefaults: true,
    allErrors: false,
    validateSchema: false,
    verbose: true,
  } as const;
  const exact = new Ajv({ ...options, coerceTypes: false });
  const fromText = new Ajv({ ...options, coerceTypes: true });
  addFormats.default(exact);
  addFormats.default(fromText);
  app.setValidatorCompiler(({ schema, httpPart }) => {
    exact.validateSchema(schema as object, true);
    const compiled = once(() => (httpPart === 'body' ? exact : fromText).compile(schema as object));
    return Object.defineProperty((data: unknown) => compiled()(data), 'errors', { get: () => compiled().errors });
  });
  app.setSerializerCompiler(({ schema }) => {
    const compiled = once(() => fastJson(schema as object));
    return (data) => compiled()(data);
  });
}

/** Makes a thing when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function guardRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    const { endpoint, plugin } = route.config ?? {};
    const name = `${String(route.method)} ${route.url}`;
    // Answers of preflight requests: they carry no data and act for nobody.
    if (name === 'OPTIONS *') return;
    if (endpoint === undefined) throw new Refusal('route refused', [`${name} has no endpoint declaration`]);
    const fault = accessFault(endpoint);
    if (fault !== undefined) throw new Refusal('route refused', [`${endpoint.id} (${name}) ${fault}`]);
    const body = endpoint.body as { type?: string; additionalProperties?: unknown } | undefined;
    if (body?.type === 'object' && body.additionalProperties !== false) {
      throw new Refusal('route refused', [`${endpoint.id} (${name}) has an open body schema`]);
    }
    app.declaredRoutes.push({
      method: String(route.method),
      pattern: pathPattern(route.url),
      segment: firstSegment(route.url),
      endpoint,
      plugin: plugin ?? 'kernel',
    });
  });
}

/** Node would answer these requests without a problem document (RFC 9112, section 3.2; RFC 9110, section 10.1.1). */
function refuseOddHeads(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion !== '1.1') return;
    if (headerValues(request, 'host').length !== 1) throw kernelProblems.malformedRequest();
    const { expect = '100-continue' } = request.headers;
    if (expect.toLowerCase() !== '100-continue') throw kernelProblems.expectationFailed();
  });
}

/** To unpack a body would take bounds of its own; none of ours is large (RFC 9110, section 15.5.16). */
function refuseCodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, reply) => {
    const { 'transfer-encoding': chunked, 'content-length': length = '0' } = request.headers;
    const codings = headerValues(request, 'content-encoding');
    const isBare = codings.every((coding) => coding.toLowerCase() === 'identity');
    if (isBare || (chunked === undefined && length === '0')) return;
    reply.header('accept-encoding', 'identity');
    throw kernelProblems.unsupportedContentEncoding();
  });
}

const CLIENT_FAULTS: Readonly<Record<string, ProblemType>> = {
  HPE_HEADER_OVERFLOW: kernelProblems.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: kernelProblems.requestTimeout,
};

/** Whether the last packet is one endless request line; the parser's fault does not say which part was too long. */
const isLongLine = (packet: unknown) =>
  Buffer.isBuffer(packet) && /^[A-Z]+ [^\r\n]{8192}/.test(packet.toString('latin1'));

/** Requests that Node's parser refuses never reach a route; they still get a problem document. */
function answerClientError(
  error: NodeJS.ErrnoException & { rawPacket?: unknown },
  socket: Socket,
  lingerMs: number,
): void {
  if (!socket.writable) return;
  const fault = CLIENT_FAULTS[error.code ?? ''] ?? kernelProblems.malformedRequest;
  const found = (
    fault === kernelProblems.headersTooLarge && isLongLine(error.rawPacket) ? kernelProblems.uriTooLong : fault
  )();
  const body = JSON.stringify(problemDocument(found, newTraceId()));
  const head = [
    `HTTP/1.1 ${found.status} ${found.entry.title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  endWithin(socket, `${head.join('\r\n')}\r\n\r\n${body}`, lingerMs);
}
