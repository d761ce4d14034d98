import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type BodyBounds, boundedBody } from './bounded-body.ts';
import { assertPinned, type Connect, connect as dial } from './connect.ts';
import { EgressError } from './egress-error.ts';
import { type ExchangeRequest, exchange } from './exchange.ts';
import { parseNetwork } from './network.ts';
import { type EgressAnswer, harmlessHeaders, type OpenOptions, requestHeaders } from './open-options.ts';
import { type Policy, type Resolve, readUrl, resolveTargets } from './target.ts';
import { within } from './within.ts';

/** The bounds of one fetch; all times in milliseconds. */
const BOUNDS = {
  maxRedirects: 3,
  /** For resolving a name, and for each connection that is tried. */
  connectMs: 10_000,
  /** From the request to the end of the answer's head. */
  headersMs: 30_000,
  idleMs: 30_000,
  /** For everything together, redirects and body included. */
  totalMs: 60 * 60_000,
  minBytesPerSecond: 1024,
  rateGraceMs: 60_000,
  maxBytes: Number.MAX_SAFE_INTEGER,
};
const USUAL_PORTS = [80, 443];
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Longest name of a host in DNS, with room for scheme and port. */
const MAX_ORIGIN_LENGTH = 300;

export type EgressOptions = Partial<typeof BOUNDS> & {
  /** Networks that are not public and may be reached all the same; the operator's word, never the user's. */
  readonly allowPrivate?: readonly string[];
  /** Ports beside 80 and 443; the operator's word too. */
  readonly ports?: readonly number[];
  readonly resolve?: Resolve;
  readonly connect?: Connect;
};

/** The one way out: see `open`. */
export type Egress = {
  /**
   * Fetches an address that a user gave. The name is resolved once, every address of it is checked, and the connection
   * goes to a checked one and is checked again; each redirect is a new address to all of this. Throws EgressError, or
   * the reason of the caller's signal. An answer of any status is an answer.
   */
  readonly open: (url: string, options?: OpenOptions) => Promise<EgressAnswer>;
  /** Throws what `open` would throw before it connects: for an address that is kept for later. */
  readonly check: (url: string) => Promise<void>;
};

type Client = typeof BOUNDS & { readonly policy: Policy; readonly connect: Connect };

/** A client with the operator's allowances and bounds; `setting_invalid` for a network that is none. */
export function createEgress(options: EgressOptions = {}): Egress {
  const { allowPrivate = [], ports = [], resolve = resolveAll, connect = dial, ...bounds } = options;
  const allowed = allowPrivate.map(parseNetwork);
  const policy = { resolve, allowed, ports: new Set([...USUAL_PORTS, ...ports]) };
  const client = { ...BOUNDS, ...bounds, policy, connect };
  return {
    async check(url) {
      await resolveTargets(readUrl(url, policy), policy);
    },
    async open(url, how = {}) {
      const total = new AbortController();
      const timer = setTimeout(() => total.abort(new EgressError('total_timeout')), client.totalMs);
      const signal = how.signal === undefined ? total.signal : AbortSignal.any([how.signal, total.signal]);
      try {
        return await follow(client, url, how, { signal, release: () => clearTimeout(timer) });
      } catch (error) {
        clearTimeout(timer);
        throw error;
      }
    },
  };
}

async function resolveAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);
}

type Life = { readonly signal: AbortSignal; readonly release: () => void };

async function follow(client: Client, address: string, options: OpenOptions, life: Life): Promise<EgressAnswer> {
  let url = readUrl(address, client.policy);
  let { method = 'GET', body } = options;
  let headers = requestHeaders(options);
  for (let hops = 0; hops <= client.maxRedirects; hops += 1) {
    const response = await ask(client, { url, method, headers, body }, life.signal);
    if (!REDIRECTS.has(response.statusCode ?? 0)) return answerOf(response, url, client, life);
    response.destroy();
    const { location } = response.headers;
    if (turnsToGet(response.statusCode, method)) {
      if (body !== undefined && options.redirects === 'refuse') throw refusedRedirect(location, url);
      [method, body] = ['GET', undefined];
    }
    const next = redirected(location, url, client.policy);
    // What a body holds was meant for the first server alone.
    if (next.origin !== url.origin && body !== undefined) throw refusedRedirect(location, url);
    if (next.origin !== url.origin) headers = harmlessHeaders(headers);
    url = next;
  }
  throw new EgressError('too_many_redirects');
}

/** Whether a redirect asks for the other place by GET, as clients do: after 303 always, after 301 and 302 for a POST. */
function turnsToGet(status: number | undefined, method: string): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return status === 303 || ((status === 301 || status === 302) && method === 'POST');
}

function redirected(location: string | undefined, from: URL, policy: Policy): URL {
  if (location === undefined || URL.parse(location, from.href) === null) throw refusedRedirect(location, from);
  const to = readUrl(location, policy, from);
  if (from.protocol === 'https:' && to.protocol === 'http:') throw refusedRedirect(location, from);
  return to;
}

function refusedRedirect(location: string | undefined, from: URL): EgressError {
  const origin = location === undefined ? undefined : URL.parse(location, from.href)?.origin;
  const isNamed = origin !== undefined && origin !== 'null' && origin.length <= MAX_ORIGIN_LENGTH;
  return new EgressError('redirect_refused', undefined, isNamed ? origin : undefined);
}

/** One hop: resolve, check, connect, send, and wait for the head of the answer. */
async function ask(client: Client, request: ExchangeRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { connectMs, headersMs } = client;
  const socket = await connectTo(client, request.url, signal, connectMs);
  try {
    return await within({ ms: headersMs, code: 'headers_timeout' }, signal, (bounded) =>
      exchange(socket, request, bounded),
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function connectTo(client: Client, url: URL, signal: AbortSignal, ms: number): Promise<Socket> {
  const bound = { ms, code: 'connect_timeout' } as const;
  const targets = await within({ ms, code: 'name_unresolved' }, signal, () => resolveTargets(url, client.policy));
  let failure: unknown;
  for (const target of targets) {
    try {
      const socket = await within(bound, signal, (bounded) => client.connect(target, bounded));
      assertPinned(socket, target);
      return socket;
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

function answerOf(response: IncomingMessage, url: URL, bounds: BodyBounds, { signal, release }: Life): EgressAnswer {
  const headers = Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: boundedBody(response, bounds, signal, release),
    url: url.href,
  };
}
