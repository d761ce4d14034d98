import { type Answer, CallerError, type CallerMethod, createCaller, isTransient } from '@weir/caller';
import { LakehouseError } from '../error/error.ts';
import { parseExact, stringifyExact } from '../metadata/metadata-json.ts';

const RETRIES = 3;
const ATTEMPT_TIMEOUT_MS = 20_000;
const TOTAL_MS = 25_000;
/** Metadata of a table with thousands of snapshots is some megabytes. */
const MAX_ANSWER_BYTES = 128 * 1024 ** 2;

/** Unauthorized, forbidden, and an expired token. */
const DENIED: readonly number[] = [401, 403, 419];

export type RestRequest = {
  readonly method: CallerMethod;
  /** Below the base, percent-encoded, with its query. */
  readonly path: string;
  /** What is sent as JSON, bigint digit for digit. */
  readonly body?: unknown;
};

/** An answer of the server that says what became of the request; `body` is parsed JSON, undefined when it is absent. */
export type RestAnswer = { readonly status: number; readonly body: unknown };

/** A request without an answer, or with one that leaves its outcome open. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export type RestCaller = {
  /** Sends a request once. Throws `NoAnswer` when its outcome is open, `store_denied` when access is refused. */
  once(request: RestRequest): Promise<RestAnswer>;
  /** Repeats a request until its outcome is known; else `store_unavailable`. */
  call(request: RestRequest): Promise<RestAnswer>;
};

export type RestCallerOptions = {
  readonly uri: string;
  /** Asked before each request; undefined sends none. */
  readonly token?: () => string | undefined;
};

/** Requests to an Iceberg REST catalog. */
export function restCaller({ uri, token }: RestCallerOptions): RestCaller {
  const bounds = { timeoutMs: ATTEMPT_TIMEOUT_MS, totalMs: TOTAL_MS, maxBytes: MAX_ANSWER_BYTES, retries: RETRIES };
  const caller = createCaller({ base: uri, token, ...bounds });
  const ask = async ({ method, path, body }: RestRequest, repeatable: boolean): Promise<RestAnswer> => {
    const bytes = body === undefined ? undefined : Buffer.from(stringifyExact(body));
    const headers = bytes === undefined ? undefined : { 'content-type': 'application/json' };
    return resultOf(await caller.ask({ method, path, bytes, headers, repeatable }).catch(unanswered));
  };
  return {
    once: (request) => ask(request, false),
    call: (request) =>
      ask(request, true).catch((error) => {
        throw error instanceof NoAnswer ? unavailable(error) : error;
      }),
  };
}

/** The failure of a request whose outcome stayed open. */
export function unavailable(cause: unknown): LakehouseError {
  return new LakehouseError('store_unavailable', 'The table catalog does not answer', { cause });
}

function unanswered(error: unknown): never {
  if (!(error instanceof CallerError)) throw error;
  if (error.code === 'answer_too_large') {
    throw new LakehouseError('metadata_invalid', 'The table catalog answers too much');
  }
  throw new NoAnswer('the table catalog does not answer', { cause: error });
}

function resultOf(answer: Answer): RestAnswer {
  const { status } = answer;
  if (isTransient(answer)) throw new NoAnswer(`the table catalog answers ${status}`);
  if (DENIED.includes(status)) {
    throw new LakehouseError('store_denied', `The table catalog refuses the request (${status})`);
  }
  return { status, body: parseBody(status, answer.bytes.toString('utf8')) };
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
