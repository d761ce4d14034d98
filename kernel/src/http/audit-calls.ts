import { clientAddress } from '@weir/http-limits';
import { TurnRefused } from '@weir/turns';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  type AuditedCall,
  type AuditTrail,
  AuditTrails,
  CallLimits,
  type CallOutcome,
} from '../contract/call-points.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { Contributions } from '../contributions/contributions.ts';
import { REPEATED } from './idempotency.ts';

/** Ids as paths of ours hold them; text of any other form names no object and is not kept. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:@|-]{0,199}$/;
const DENIALS: readonly number[] = [401, 403];
/** What else is answered before anybody has looked at the call itself. */
const { rateLimited, tenantHeaderInvalid, tenantHeaderRequired } = kernelProblems;
const EARLY = [rateLimited, tenantHeaderInvalid, tenantHeaderRequired].map(({ entry }) => entry);

/** Why a call was not noted; a tenant that asks for too much is told so. */
const asUnnoted = (cause: unknown) =>
  cause instanceof TurnRefused ? cause : kernelProblems.auditUnavailable({ cause });

type End = Awaited<ReturnType<AuditTrail['begin']>>;

/**
 * Has every trail note each changing call of a known caller once it was allowed and before its body is read, and each
 * denial of a declared route: for lack of a right, by a rule, for its tenant header, or by a rate. A call that cannot be noted is
 * refused, and has changed nothing; an end that cannot be noted changes no answer, and its entry is ended as unknown later.
 * Limits are told of denials for lack of a right.
 */
export function auditCalls(app: FastifyInstance, contributions: Pick<Contributions, 'of'>, log: Logger): void {
  const begun = new WeakMap<FastifyRequest, End[]>();
  const answered = new WeakSet<FastifyRequest>();
  app.addHook('preParsing', async (request) => {
    const call = callOf(request);
    const isChange = call !== undefined && call.endpoint.method !== 'GET' && !('reads' in call.endpoint.access);
    if (!isChange || call.principal.kind === 'anonymous') return;
    const ends: End[] = [];
    begun.set(request, ends);
    for (const trail of contributions.of(AuditTrails)) {
      ends.push(await trail.begin(call).catch((cause: unknown) => Promise.reject(asUnnoted(cause))));
    }
  });
  app.addHook('onSend', async (request, reply, payload) => {
    // A hook or a serializer that throws sends a second answer in place of the first.
    if (answered.has(request)) return;
    answered.add(request);
    const isDenied = DENIALS.includes(reply.statusCode);
    // Most answers are of reads that were allowed, and have nothing to be noted.
    const isNoted = isDenied || begun.has(request) || request.caller?.isRefused === true;
    const call = isNoted || EARLY.some(({ status }) => status === reply.statusCode) ? callOf(request) : undefined;
    if (call === undefined) return;
    const outcome = outcomeOf(reply, payload);
    if (!isNoted && !EARLY.some(({ code }) => code === outcome.code)) return;
    if (isDenied) {
      const arrived = { endpoint: call.endpoint, address: call.address };
      for (const limit of contributions.of(CallLimits)) limit.refused?.(arrived);
    }
    const noted =
      begun.get(request)?.map((end) => end(outcome)) ??
      contributions.of(AuditTrails).map((trail) => trail.denied(call, outcome));
    const lost = (err: unknown) => log.error({ err }, 'the end of a call could not be noted');
    await Promise.all(noted.map((work) => work.catch(lost)));
  });
}

function callOf(request: FastifyRequest): AuditedCall | undefined {
  const { endpoint } = request.routeOptions.config;
  if (endpoint === undefined) return undefined;
  const { principal, tenant } = request.caller ?? { principal: { kind: 'anonymous' }, tenant: undefined };
  const params = { ...(request.params as Record<string, string>) };
  const fit = request.getValidationFunction('params')?.({ ...params }) === true;
  const ids = Object.entries(params).filter(([, value]) => fit && ID.test(value));
  return {
    endpoint,
    principal,
    tenant,
    params: Object.fromEntries(ids),
    address: clientAddress(request),
    requestId: request.id,
  };
}

function outcomeOf(reply: FastifyReply, payload: unknown): CallOutcome {
  const problem = String(reply.getHeader('content-type')).startsWith('application/problem+json');
  const { code } = (problem ? JSON.parse(String(payload)) : {}) as { code?: string };
  const location = reply.getHeader('location')?.toString();
  return { status: reply.statusCode, code, location, repeated: reply.hasHeader(REPEATED) };
}
