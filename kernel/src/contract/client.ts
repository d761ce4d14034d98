import type { Static } from '@sinclair/typebox';
import { type Endpoint, fillPath, fullPath, type Input, type Output } from './endpoint.ts';
import type { ProblemShape } from './shapes.ts';

/** How to reach the API: base address, token, tenant, and the fetch to use. */
export interface ClientOptions {
  url: string;
  token?: string;
  tenant?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  fetch?: typeof globalThis.fetch;
  /** The body of an endpoint that `consumes` bytes. */
  content?: Blob;
}

/** The answer of a call: the endpoint's own output on success, otherwise the problem document. */
export type CallResult<E> =
  | { ok: true; status: number; headers: Headers; body: Output<E> }
  | { ok: false; status: number; headers: Headers; problem: ProblemDocument };

/** `application/problem+json` as this platform writes it; a code may add members of its own. */
type ProblemDocument = Static<typeof ProblemShape> & { [member: string]: unknown };

/**
 * Calls an endpoint over HTTP: the endpoint value is the client. Throws only when the server cannot be reached
 * or answers something that is not ours.
 */
export async function call<E extends Endpoint>(
  declared: E,
  input: Partial<Input<E>>,
  options: ClientOptions,
): Promise<CallResult<E>> {
  const path = fillPath(fullPath(declared), (input.params ?? {}) as Record<string, unknown>);
  const url = new URL(path, options.url);
  for (const [name, value] of Object.entries((input.query ?? {}) as Record<string, unknown>)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  const answer = await (options.fetch ?? fetch)(url, {
    method: declared.method,
    // After 301 to 303 a change would go on as a GET, whose answer looks like a success.
    redirect: declared.method === 'GET' ? 'follow' : 'manual',
    headers: {
      accept: 'application/json, application/problem+json',
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.content === undefined ? {} : { 'content-type': String(declared.consumes) }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.tenant === undefined ? {} : { 'x-tenant-id': options.tenant }),
      ...options.headers,
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(options.content === undefined ? {} : { body: options.content }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const text = await answer.text();
  if (answer.ok) {
    const body = (text === '' ? undefined : parseExact(text)) as Output<E>;
    return { ok: true, status: answer.status, headers: answer.headers, body };
  }
  if (!answer.headers.get('content-type')?.startsWith('application/problem+json')) {
    throw new Error(`${url.origin} answered ${answer.status} without a problem document: is this the Weir API?`);
  }
  return { ok: false, status: answer.status, headers: answer.headers, problem: JSON.parse(text) as ProblemDocument };
}

/** Parses JSON and keeps integers that a double cannot hold as decimal strings, so that no id is ever rounded. */
function parseExact(text: string): unknown {
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? context?.source
      : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}
