import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { ContractError, ProblemError, UnreachableError } from './problem-error.ts';

/** Where calls go, and as whom. `token(true)` renews one that the API no longer takes. */
export interface Connection {
  url: string;
  tenant?: string;
  token(renew?: boolean): Promise<string>;
}

export interface AskOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

const UNAUTHENTICATED = 401;

/** Calls an endpoint. Throws `ProblemError`, `UnreachableError` or `ContractError`. */
export async function ask<E extends Endpoint>(
  connection: Connection,
  endpoint: E,
  input: Partial<Input<E>> = {},
  options: AskOptions = {},
): Promise<Output<E>> {
  const first = await send(connection, endpoint, input, { ...options, renew: false });
  const wasExpired = !first.ok && first.status === UNAUTHENTICATED;
  const answer = wasExpired ? await send(connection, endpoint, input, { ...options, renew: true }) : first;
  if (!answer.ok) throw new ProblemError(answer.problem);
  if (endpoint.response !== undefined) {
    const { fits } = await import('./check-answer.ts');
    if (!fits(endpoint.response, answer.body)) throw new ContractError(endpoint.id);
  }
  return answer.body;
}

async function send<E extends Endpoint>(
  { url, tenant, token }: Connection,
  endpoint: E,
  input: Partial<Input<E>>,
  { renew, headers, signal }: AskOptions & { renew: boolean },
) {
  const bearer = await token(renew);
  return call(endpoint, input, {
    url,
    token: bearer,
    ...(tenant === undefined ? {} : { tenant }),
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new UnreachableError(error);
  });
}

/** A key that lets a POST be sent again without being done twice. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
