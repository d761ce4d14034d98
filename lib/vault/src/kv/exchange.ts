import { CallerError, createCaller } from '@weir/caller';

/** For one request as a whole, from the connection to the last byte; at most four follow each other in one call. */
const EXCHANGE_MS = 5_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

export interface StoreRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/`; made of names that were checked. */
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/** What came back; `body` is undefined when it is empty or not JSON. */
export interface StoreAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks the store once. @throws CallerError */
export type Exchange = (request: StoreRequest) => Promise<StoreAnswer>;

export interface StoreServer {
  readonly origin: URL;
  /** Authorities in PEM instead of the system's. */
  readonly ca?: string;
  readonly exchangeMs?: number;
}

/** Each exchange has a connection of its own: the store may close an idle one at the moment of a write. */
export function createExchange({ origin, ca, exchangeMs = EXCHANGE_MS }: StoreServer): Exchange {
  const bounds = { timeoutMs: exchangeMs, maxBytes: MAX_ANSWER_BYTES, retries: 0, keepAlive: false };
  const caller = createCaller({ base: origin, ca, methods: ['GET', 'POST'], ...bounds });
  return async ({ method, path, token, body }) => {
    const headers: Record<string, string> = { 'x-vault-request': 'true' };
    if (token !== undefined) headers['x-vault-token'] = token;
    const answer = await caller.ask({ method, path: `/v1/${path}`, headers, json: body });
    return { status: answer.status, body: parsed(answer.json) };
  };
}

function parsed(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof CallerError) return undefined;
    throw error;
  }
}
