import { DocumentFault, type DocumentFaultCode, PROBLEM_TYPE, problemText, schemaFaults } from '@weir/documents';
import { TurnRefused } from '@weir/turns';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { FAULT_SENTENCES } from '../contract/fault-sentences.ts';
import { nextSteps } from '../contract/next-steps.ts';
import { type FieldFault, Problem, type ProblemEntry, type ProblemType } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import { belongsToOthers } from '../routing/wildcards.ts';

const BY_FASTIFY_CODE: Readonly<Record<string, ProblemType>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: kernelProblems.payloadTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: kernelProblems.unsupportedMediaType,
  FST_ERR_CTP_EMPTY_JSON_BODY: kernelProblems.malformedJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: kernelProblems.malformedJson,
  FST_ERR_BAD_URL: kernelProblems.routeNotFound,
  FST_ERR_MAX_PARAM_LENGTH: kernelProblems.uriTooLong,
};

const BY_DOCUMENT_FAULT: Readonly<Record<DocumentFaultCode, ProblemType>> = {
  malformed_json: kernelProblems.malformedJson,
  malformed_yaml: kernelProblems.malformedYaml,
  yaml_not_json: kernelProblems.yamlNotJson,
  unsafe_number: kernelProblems.unsafeNumber,
  payload_too_large: kernelProblems.payloadTooLarge,
};

const WHERE: Readonly<Record<string, string>> = {
  body: '',
  querystring: '/query',
  params: '/params',
  headers: '/headers',
};

/** Makes a problem of anything that may be thrown: ours as they are, known faults by table, all else `internal`. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof DocumentFault) return BY_DOCUMENT_FAULT[thrown.code]();
  if (thrown instanceof TurnRefused) return kernelProblems.tenantBusy({ retryAfterSeconds: thrown.retryAfterSeconds });
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Partial<FastifyError>;
  if (Array.isArray(error.validation)) return validationProblem(error as FastifyError);
  const known = typeof error.code === 'string' ? BY_FASTIFY_CODE[error.code] : undefined;
  return known ? known({ cause: thrown }) : kernelProblems.internal({ cause: thrown });
}

/** Place and rule of each fault, in words of the schema: no value, and no name that the schema does not know. */
function validationProblem({ validation, validationContext }: FastifyError): Problem {
  return kernelProblems.validationFailed({
    errors: schemaFaults(validation ?? [], WHERE[validationContext ?? 'body']),
  });
}

/** The problem document of RFC 9457 as it goes over the wire; `params` are those of the call's path. */
export function problemDocument(found: Problem, traceId: string, params: object = {}): Record<string, unknown> {
  const { entry, details } = found;
  const steps = details.next ?? (details.hint === undefined ? entry.next : undefined);
  return {
    type: `/docs/errors/${entry.code}`,
    title: entry.title,
    status: entry.status,
    detail: found.message,
    code: entry.code,
    trace_id: traceId,
    hint: details.hint ?? entry.hint,
    ...nextSteps(steps, { ...params, ...details.values, ...details.members }),
    ...(details.errors === undefined ? {} : { errors: details.errors.map((fault) => withSentence(fault, entry)) }),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after_seconds: details.retryAfterSeconds }),
    ...details.members,
  };
}

/** A fault with the sentence of its code, unless it has one of its own. */
function withSentence(fault: FieldFault, { faults }: ProblemEntry): FieldFault {
  const message = fault.message ?? faults?.[fault.code] ?? FAULT_SENTENCES[fault.code];
  return message === undefined ? fault : { ...fault, message };
}

/** Answers every error of a server as a problem document: thrown, unknown route, wrong method, broken request. */
export function answerProblems(app: FastifyInstance): void {
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '/';
    const allowed = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => matches(app, method, path));
    if (allowed.length === 0) return answerProblem(kernelProblems.routeNotFound(), request, reply);
    reply.header('allow', allowed.join(', '));
    return answerProblem(kernelProblems.methodNotAllowed(), request, reply);
  };
  app.setNotFoundHandler(answerUnrouted);
  app.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config;
    return belongsToOthers(app, endpoint, request.url) ? answerUnrouted(request, reply) : undefined;
  });
  // Before the body is read, so that no fault of it comes first.
  app.addHook('preParsing', async (request, reply) => {
    if (request.is404) return answerUnrouted(request, reply);
    return undefined;
  });
  app.setErrorHandler((thrown: unknown, request, reply) => answerProblem(toProblem(thrown), request, reply));
}

function matches(app: FastifyInstance, method: string, path: string): boolean {
  const declared = app.declaredRoutes.filter((route) => route.method === method);
  return declared.some(({ pattern, endpoint }) => pattern.test(path) && !belongsToOthers(app, endpoint, path));
}

/** Answers with the problem document, to a browser as a page, and logs what the answer does not say. */
export async function answerProblem(
  found: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  logProblem(found, request);
  const { endpoint } = request.routeOptions.config;
  const isConfiguration = found.entry === kernelProblems.unsupportedMediaType.entry && endpoint?.declarative;
  const hint = isConfiguration ? { hint: 'Send Content-Type: application/json or application/yaml.' } : {};
  if (found.status === 401)
    reply.header('www-authenticate', endpoint?.access.kind === 'webhook' ? 'Signature' : 'Bearer');
  const retryAfter = found.details.retryAfterSeconds ?? (found.status === 503 && !found.entry.lasting ? 1 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  const document = problemDocument(found, request.id, request.params as object);
  const { headers, body } = problemText({ ...document, ...hint }, wantsPage(request));
  return reply.code(found.status).headers(headers).send(body);
}

/** Whether a browser asks for an address of pages: where HTML is answered, or where nothing is. */
function wantsPage(request: FastifyRequest): boolean {
  const { endpoint } = request.routeOptions.config;
  if (endpoint !== undefined && !endpoint.produces?.includes('text/html')) return false;
  return new Negotiator(request.raw).mediaType(['application/json', PROBLEM_TYPE, 'text/html']) === 'text/html';
}

/** A fault of ours is logged with its stack; what a table declares is expected, and told by its cause. */
function logProblem(found: Problem, { log }: FastifyRequest): void {
  const { status, code, details } = found;
  if (status < 500 || status === 501) log.info({ code }, 'request refused');
  else if (status === 503) log.warn({ code, reason: (details.cause as Error | undefined)?.message }, 'request failed');
  else log.error({ err: details.cause ?? found, code }, 'request failed');
}
