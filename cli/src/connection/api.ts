import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type CallResult, call, type Endpoint, type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import { CliError, errorOfProblem } from '../cli-error.ts';
import { SIGN_IN_HINT } from './not-signed-in.ts';
import type { SignedIn } from './session.ts';
import { tokenFacts } from './token-facts.ts';

/** Calls endpoints as one user of one tenant at one address. */
export interface Api {
  url: string;
  tenant: string | undefined;
  /** The answer's body; throws `CliError` on a problem, an unreachable server, a time-out or an interrupt. */
  call<E extends Endpoint>(endpoint: E, input: Partial<Input<E>>, when?: Condition): Promise<Output<E>>;
}

/** The state that a change is made to, where another one refuses it, and how bytes and lines go over the wire. */
export interface Condition {
  etag?: string;
  content?: Blob;
  /** Called with each line of an answer as it comes; the body is the list of them. */
  seen?: (line: object) => void;
}

export interface ApiOptions {
  interrupted: AbortSignal;
  /** Limit of one call. */
  timeoutMs: number;
  /** Told of every call that is made. */
  say?: (line: string) => void;
}

const NDJSON_TYPE = 'application/x-ndjson';
/** What the server gives a body of bytes. */
const STREAM_TIMEOUT_MS = 4 * 60 * 60_000;
const NO_SERVER_HINT = 'weir dev up starts a development server; --url or WEIR_URL names another';

/** Opens the API that a connection names; throws when it names none. Nothing is sent yet. */
export function openApi(connection: SignedIn, { interrupted, timeoutMs, say }: ApiOptions): Api {
  const { url, tenant, renew } = connection;
  let { token } = connection;
  if (url === undefined)
    throw new CliError('unreachable', 'No server is configured and none is running here.', { hint: NO_SERVER_HINT });
  if (!URL.canParse(url))
    throw new CliError('usage', 'The address of the API is not a URL.', { hint: 'Such as http://127.0.0.1:8080' });

  async function answer<E extends Endpoint>(
    endpoint: E,
    input: Partial<Input<E>>,
    when?: Condition,
  ): Promise<Output<E>> {
    let result = await ask(endpoint, input, when);
    if (result.status === 401 && renew !== undefined && token !== undefined) {
      // Nothing was done: a call is refused before it is looked at.
      token = await renew(token);
      result = await ask(endpoint, input, when);
    }
    if (result.ok) return result.body;
    // What only this server refuses has a hint of its own.
    const { code } = result.problem;
    const isPlain = result.status === 401 && code === kernelProblems.unauthenticated.entry.code;
    const isOther = code === kernelProblems.tenantNotAllowed.entry.code;
    const hint = isPlain ? SIGN_IN_HINT : isOther ? otherTenantHint(connection, token) : undefined;
    const problem = hint === undefined ? result.problem : { ...result.problem, hint };
    throw errorOfProblem(problem, url as string, endpoint, input.body);
  }

  async function ask<E extends Endpoint>(
    endpoint: E,
    input: Partial<Input<E>>,
    when?: Condition,
  ): Promise<CallResult<E>> {
    const isStream = when?.content !== undefined || when?.seen !== undefined;
    const limit = AbortSignal.timeout(isStream ? STREAM_TIMEOUT_MS : timeoutMs);
    const match = when?.etag !== undefined && { 'if-match': `"${when.etag}"` };
    const lines = when?.seen !== undefined && { accept: NDJSON_TYPE };
    const started = performance.now();
    const result = await call(endpoint, input, {
      url: url as string,
      ...(token === undefined ? {} : { token }),
      ...(tenant === undefined ? {} : { tenant }),
      headers: { ...match, ...lines },
      ...(when?.seen && { fetch: fetchLines(when.seen) }),
      ...(when?.content === undefined ? {} : { content: when.content }),
      signal: AbortSignal.any([interrupted, limit]),
    }).catch((cause: unknown) => {
      if (interrupted.aborted) throw new CliError('interrupted', 'Interrupted.');
      if (limit.aborted)
        throw new CliError('unreachable', `${url} did not answer in ${timeoutMs / 1_000} s.`, { cause });
      throw unreachable(url as string, cause);
    });
    say?.(`${endpoint.method} ${endpoint.path} ${result.status} ${(performance.now() - started).toFixed(0)} ms`);
    return result;
  }
  return { url, tenant, call: answer };
}

/** Which tenant was named, whose token it was and what that is for, and how to choose another. */
function otherTenantHint({ tenant, tokenFrom, profile }: SignedIn, token: string | undefined): string {
  const own = token === undefined ? [] : (tokenFacts(token)?.tenants ?? []);
  const whose = tokenFrom === 'profile' && profile !== undefined ? ` of the profile ${profile}` : '';
  const allowed = own.length === 0 ? '' : `, but for ${own.join(', ')}`;
  const named = tenant === undefined ? 'this tenant' : `the tenant ${tenant}`;
  return `The token${whose} is not for ${named}${allowed}: weir tenants use <tenant>, or weir profiles list`;
}

/** A failed fetch tells its reason in `cause`; another error is an answer that is not ours. */
function unreachable(url: string, cause: unknown): CliError {
  const inner = cause instanceof Error ? cause.cause : undefined;
  const code = (inner as NodeJS.ErrnoException | undefined)?.code;
  if (inner === undefined && cause instanceof Error && !(cause instanceof TypeError)) {
    return new CliError('unreachable', `${cause.message.split('\n')[0]}`, { cause, hint: NO_SERVER_HINT });
  }
  const reason = code === undefined ? '' : ` (${code})`;
  return new CliError('unreachable', `${url} does not answer${reason}.`, {
    cause,
    hint: `${NO_SERVER_HINT}; weir doctor looks for the reason`,
  });
}

/** A fetch that hands each line of an ndjson answer on as it comes; the answer is the list of them. */
function fetchLines(seen: (line: object) => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const isLines = answer.headers.get('content-type')?.startsWith(NDJSON_TYPE) === true;
    if (!isLines || answer.body === null) return answer;
    const lines: object[] = [];
    const body = Readable.fromWeb(answer.body as ReadableStream);
    for await (const text of createInterface({ input: body })) {
      const line = JSON.parse(text) as object;
      seen(line);
      lines.push(line);
    }
    return new Response(JSON.stringify(lines), { status: answer.status });
  };
}
