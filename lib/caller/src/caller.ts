import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, isTransient } from './answer.ts';
import { CallerError } from './caller-error.ts';
import { createExchange } from './exchange.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

export type CallerMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type ReadMethod = 'GET' | 'HEAD';

/** Methods whose repetition changes nothing (RFC 9110, 9.2.2). */
const IDEMPOTENT: readonly CallerMethod[] = ['GET', 'HEAD', 'PUT', 'DELETE'];

export interface CallerOptions<M extends CallerMethod = CallerMethod> {
  /** Address of the service, with a path before all others; without credentials, query and fragment. */
  readonly base: string | URL;
  /** Asked before each attempt; sent as a bearer token. */
  readonly token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Asked before each attempt; sent with each request, under those of the request. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  /** Authorities in PEM instead of the system's. */
  readonly ca?: string | undefined;
  /** Bound of one attempt, from the connection to the last byte. */
  readonly timeoutMs: number;
  /** No attempt starts later than this; twice `timeoutMs` when absent. */
  readonly totalMs?: number | undefined;
  /** Bound of an answer's body. */
  readonly maxBytes: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The only methods of the caller; all when absent. */
  readonly methods?: readonly M[] | undefined;
  /** False opens a connection for each request. */
  readonly keepAlive?: boolean | undefined;
  /** Waits between attempts; rejects when aborted. */
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<unknown>) | undefined;
}

interface Question<M extends CallerMethod> {
  readonly method: M;
  /** Below the base, beginning with a slash, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Instead of the caller's. */
  readonly timeoutMs?: number | undefined;
}

interface Content {
  readonly json?: unknown;
  /** Sent as they are; name their type in `headers`. */
  readonly bytes?: Uint8Array | undefined;
  /** Sent as `Idempotency-Key`; the request may be repeated. */
  readonly idempotencyKey?: string | undefined;
  /** Whether a lost answer is asked for again; by default when the method or a key allows it. */
  readonly repeatable?: boolean | undefined;
}

/** A request; one that only reads has no body. */
export type CallerRequest<M extends CallerMethod = CallerMethod> = [M] extends [ReadMethod]
  ? Question<M>
  : Question<M> & Content;

export interface Caller<M extends CallerMethod = CallerMethod> {
  /** Answers with whatever status came last. @throws CallerError, or the reason of the signal */
  ask(request: CallerRequest<M>): Promise<Answer>;
}

/** A bounded client of one service that the operator trusts; redirects are not followed. @throws TypeError */
export function createCaller<const M extends CallerMethod = CallerMethod>(options: CallerOptions<M>): Caller<M> {
  const base = baseOf(options.base);
  const { token, timeoutMs, maxBytes, retries, totalMs = 2 * timeoutMs } = options;
  const wait = options.wait ?? ((ms: number, signal?: AbortSignal) => delay(ms, undefined, { signal }));
  const exchange = createExchange({ base, ca: options.ca, keepAlive: options.keepAlive });
  const once = async (request: Question<M> & Content): Promise<Answer> => {
    const body = request.json === undefined ? request.bytes : Buffer.from(JSON.stringify(request.json));
    const { method, signal } = request;
    const path = `${request.path}${queryOf(request.query)}`;
    const headers = { ...options.headers?.(), ...headersOf(request, { token: await token?.(), body }) };
    return exchange({ method, path, headers, body, signal, maxBytes, timeoutMs: request.timeoutMs ?? timeoutMs });
  };
  return {
    async ask(request: Question<M> & Content) {
      if (options.methods?.includes(request.method) === false) throw new TypeError('This caller lacks the method');
      const until = performance.now() + totalMs;
      for (let attempt = 0; ; attempt += 1) {
        const found = await once(request).catch((error: unknown) => {
          if (error instanceof CallerError) return error;
          throw error;
        });
        const pause = pauseOf(found, attempt);
        const isOver = attempt >= retries || performance.now() + pause > until;
        if (isOver || !mayRepeat(request, found)) {
          if (found instanceof CallerError) throw found;
          return found;
        }
        await wait(pause, request.signal);
      }
    },
  };
}

function baseOf(text: string | URL): URL {
  const base = URL.parse(String(text));
  const isPlain = base !== null && `${base.username}${base.password}${base.search}${base.hash}` === '';
  if (isPlain && /^https?:$/.test(base.protocol)) return base;
  // The error of `new URL` holds its input.
  throw new TypeError('The base is not an http or https address without credentials, query and fragment');
}

const queryOf = (query: Readonly<Record<string, string>> | undefined): string =>
  query === undefined ? '' : `?${new URLSearchParams(query)}`;

function headersOf(
  { headers, json, idempotencyKey }: Question<CallerMethod> & Content,
  { token, body }: { token: string | undefined; body: Uint8Array | undefined },
): Record<string, string> {
  const all: Record<string, string> = { accept: 'application/json' };
  if (json !== undefined) all['content-type'] = 'application/json';
  if (body !== undefined) all['content-length'] = String(body.byteLength);
  if (token !== undefined) all.authorization = `Bearer ${token}`;
  if (idempotencyKey !== undefined) all['idempotency-key'] = idempotencyKey;
  return { ...all, ...headers };
}

const isPassing = (found: Answer | CallerError): boolean =>
  found instanceof CallerError ? found.code !== 'answer_too_large' && found.code !== 'tls_failed' : isTransient(found);

function mayRepeat(request: Question<CallerMethod> & Content, found: Answer | CallerError): boolean {
  const isUnseen = found instanceof CallerError && !found.sent;
  const isHarmless =
    request.repeatable ?? (request.idempotencyKey !== undefined || IDEMPOTENT.includes(request.method));
  return isPassing(found) && (isHarmless || isUnseen);
}

/** Milliseconds before the next attempt: full jitter, or what the service asks for. */
function pauseOf(found: Answer | CallerError, attempt: number): number {
  const asked = found instanceof CallerError ? 0 : (found.retryAfterMs ?? 0);
  return Math.max(asked, Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt + 1)));
}

const THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether secrets may be sent to an address: over TLS, or to this machine. */
export const isPrivate = (url: URL | null): url is URL =>
  url?.protocol === 'https:' || (url?.protocol === 'http:' && THIS_MACHINE.test(url.hostname));
