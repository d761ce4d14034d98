import { setTimeout as delay } from 'node:timers/promises';
import { LakehouseError } from '../error/error.ts';
import { parseExact, stringifyExact } from '../metadata/metadata-json.ts';

/** How often a request that may be made again is made in all. */
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** How long one request may last, and until when another one may be started. */
const ATTEMPT_TIMEOUT_MS = 20_000;
const TOTAL_MS = 25_000;
/** Metadata of a table with thousands of snapshots is some megabytes. */
const MAX_ANSWER_BYTES = 128 * 1024 ** 2;

const STATUS = { timeout: 408, unauthorized: 401, forbidden: 403, expired: 419, tooMany: 429, serverFault: 500 };

export type RestRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Below the base, percent-encoded, with its query. */
  readonly path: string;
  /** What is sent as JSON, bigint digit for digit. */
  readonly body?: unknown;
};

/** An answer of the server that says what became of the request; `body` is parsed JSON, undefined when there is none. */
export type RestAnswer = { readonly status: number; readonly body: unknown };

/** No answer, or one that leaves open what became of the request. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export type RestCaller = {
  /** Makes a request once. Throws `NoAnswer` when its outcome is open, `store_denied` when we are not let in. */
  once(request: RestRequest): Promise<RestAnswer>;
  /** Makes a request that may be made again until its outcome is known; else `store_unavailable`. */
  call(request: RestRequest): Promise<RestAnswer>;
};

export type RestCallerOptions = {
  readonly uri: string;
  /** Asked before each request; undefined sends none. */
  readonly token?: () => string | undefined;
  readonly fetch?: typeof fetch;
};

async function readBounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new LakehouseError('metadata_invalid', 'The table catalog answers too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(status: number, text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseExact(text);
  } catch (error) {
    // What a refusal looks like is up to the server and what stands before it; a success has to be what it says.
    if (status >= 300) return undefined;
    throw new NoAnswer('the answer of the table catalog is not JSON', { cause: error });
  }
}

const DENIED = [STATUS.unauthorized, STATUS.forbidden, STATUS.expired];

// 503 and 429 should mean that nothing was done, but what stands before a server says them after the fact too.
const leavesOpen = (status: number): boolean =>
  status >= STATUS.serverFault || status === STATUS.timeout || status === STATUS.tooMany;

/** Requests to an Iceberg REST catalog, bounded in time and size; redirections are not followed. */
export function restCaller({ uri, token, fetch: send = fetch }: RestCallerOptions): RestCaller {
  const base = uri.replace(/\/+$/, '');
  const once = async ({ method, path, body }: RestRequest): Promise<RestAnswer> => {
    const bearer = token?.();
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    };
    const init = { method, headers, redirect: 'manual' as const, signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS) };
    let status: number;
    let text: string;
    try {
      const answer = await send(`${base}${path}`, {
        ...init,
        ...(body !== undefined && { body: stringifyExact(body) }),
      });
      status = answer.status;
      text = await readBounded(answer);
    } catch (error) {
      if (error instanceof LakehouseError) throw error;
      throw new NoAnswer('the table catalog does not answer', { cause: error });
    }
    if (leavesOpen(status)) throw new NoAnswer(`the table catalog answers ${status}`);
    if (DENIED.includes(status)) {
      throw new LakehouseError('store_denied', `The table catalog refuses the request (${status})`);
    }
    return { status, body: parseBody(status, text) };
  };
  return {
    once,
    async call(request) {
      const until = Date.now() + TOTAL_MS;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(request);
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          const pause = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
          if (attempt === MAX_ATTEMPTS || Date.now() + pause > until) throw unavailable(error);
          await delay(pause);
        }
      }
    },
  };
}

/** The failure of a request whose outcome stayed open. */
export function unavailable(cause: unknown): LakehouseError {
  return new LakehouseError('store_unavailable', 'The table catalog does not answer', { cause });
}
