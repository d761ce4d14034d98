import { SourceError } from '@weir/connector-sdk';
import { type Part, partIn } from '../manifest/part.ts';
import type { Dictionary } from '../template/value.ts';
import { type Answer, isOk } from './answer.ts';
import { defaultBackoff, MAX_WAIT_MS, waitTooLong } from './backoff.ts';
import { authenticatorOf } from './build-authenticator.ts';
import { type HttpRequest, requestShape } from './build-request.ts';
import { errorHandlerOf, type Verdict } from './error-handler.ts';
import { exchange } from './exchange.ts';
import { mergeOptions, NO_OPTIONS } from './request-options.ts';
import type { Requester, Wanted } from './requester-type.ts';
import type { SendDeps, Wait } from './send-deps.ts';

/** How long one request may be waited for in all, tries together, in milliseconds. */
const MAX_TOTAL_WAIT_MS = 2 * MAX_WAIT_MS;
/** Faults of a connection that may pass, and are tried again like a failing server. */
const PASSING = new Set(['server_unreachable', 'server_too_slow', 'answer_broken']);
const CONNECTION_RETRIES = 5;

/** What sends the requests of a component, with its credentials, and tries again what may pass. */
export function requesterOf(part: Part, config: Dictionary, deps: SendDeps): Requester {
  const shape = requestShape(part);
  const authenticator = authenticatorOf(partIn(part, 'authenticator'), config, {
    ...deps,
    requester: (inner) => requesterOf(inner, config, deps),
  });
  const handle = errorHandlerOf(partIn(part, 'error_handler'), config, part.at);
  const prepare = async ({ scope, extra = NO_OPTIONS, address, signal }: Wanted) => {
    const credentials = await authenticator.options(signal);
    return shape.build({ ...scope, config }, mergeOptions([extra, credentials]), address);
  };
  return {
    at: part.at,
    async send(wanted) {
      let waited = 0;
      let renewed = false;
      for (let attempt = 0; ; attempt += 1) {
        const request = await prepare(wanted);
        await admit(request, deps, wanted.signal);
        const answer = await attempted(request, part.at, deps, wanted.signal);
        if ('failure' in answer) {
          if (attempt >= CONNECTION_RETRIES) throw answer.failure;
          const wait = defaultBackoff(undefined, attempt, deps.now());
          const waiter = { part, deps, failure: answer.failure, status: undefined, attempt: attempt + 2 };
          waited += await pause(wait, waited, waiter, wanted.signal);
          continue;
        }
        deps.limits.learn(request, answer, deps.now());
        const verdict = handle(answer);
        if (verdict.action === 'SUCCESS' || verdict.action === 'IGNORE') return isOk(answer) ? answer : undefined;
        if (verdict.action === 'REFRESH_TOKEN_THEN_RETRY' && !renewed && authenticator.renew()) {
          renewed = true;
          continue;
        }
        if (verdict.action === 'FAIL' || attempt >= verdict.maxRetries) throw verdict.failure;
        const wait = waitOf(verdict, answer, attempt, deps.now());
        const waiter = { part, deps, failure: verdict.failure, status: answer.status, attempt: attempt + 2 };
        waited += await pause(wait, waited, waiter, wanted.signal);
      }
    },
  };
}

/** Waits for as long as the limits of the manifest want. */
async function admit(request: HttpRequest, deps: SendDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const ms = deps.limits.take(request, deps.now());
    if (ms <= 0) return;
    await deps.sleep(Math.min(ms, MAX_WAIT_MS), signal);
  }
}

async function attempted(
  request: HttpRequest,
  at: string,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<Answer | { failure: SourceError }> {
  try {
    return await exchange(request, at, deps, signal);
  } catch (error) {
    if (error instanceof SourceError && PASSING.has(error.code)) return { failure: error };
    throw error;
  }
}

function waitOf({ backoffs }: Verdict, answer: Answer, attempt: number, now: number): number {
  for (const backoff of backoffs) {
    const ms = backoff(answer, attempt, now);
    if (ms !== undefined && ms > 0) return ms;
  }
  return defaultBackoff(answer, attempt, now) ?? 0;
}

type Waiter = Pick<Wait, 'status' | 'attempt'> & {
  readonly part: Part;
  readonly deps: SendDeps;
  readonly failure: SourceError;
};

async function pause(
  ms: number | undefined,
  waited: number,
  { part, deps, failure, status, attempt }: Waiter,
  signal: AbortSignal,
): Promise<number> {
  const wait = ms ?? 0;
  // Whoever waits is told what the server said, not that it would take longer.
  if (deps.patienceMs !== undefined && waited + wait > deps.patienceMs) throw failure;
  if (wait > MAX_WAIT_MS || waited + wait > MAX_TOTAL_WAIT_MS) throw waitTooLong(part.at, wait, deps.now());
  await deps.onWait?.({ at: part.at, ms: wait, status, code: failure.code, attempt });
  await deps.sleep(wait, signal, failure);
  return wait;
}
