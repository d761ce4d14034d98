import type { Readable } from 'node:stream';
import { EgressError } from './egress-error.ts';

export type OpenOptions = HeadOptions & (BodyOptions | { readonly body?: undefined; readonly redirects?: undefined });

type BodyOptions = {
  /** Sent as it is; its media type is one of the headers. */
  readonly body: string;
  /**
   * Whether a redirect that asks for the other place without the body is followed. Give `refuse` where an answer of 2xx means
   * that the server has the body: such a redirect then fails with `redirect_refused`.
   */
  readonly redirects: 'keep' | 'refuse';
};

type HeadOptions = {
  /** GET unless given. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Names in any case. Dropped, but for harmless ones, when a redirect leads to another origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes from `start` to `end`, both included; to the end of the file without `end`. */
  readonly range?: { readonly start: number; readonly end?: number };
  /** Its reason is thrown, by `open` or by the body. */
  readonly signal?: AbortSignal;
};

/** An answer of any status. The body must be read to its end or destroyed; it fails with an EgressError or the reason. */
export type EgressAnswer = {
  readonly status: number;
  /** By names in lower case; several values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** The address that answered, after redirects. It may hold a secret in its query: not for logs or messages. */
  readonly url: string;
};

/** Headers that say how the connection works; a caller who could set them could smuggle a second request. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that may follow a redirect to another origin: none of them can carry a credential. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'if-modified-since', 'if-none-match', 'range', 'user-agent']);

/** The headers to send: names in lower case, the body as it is and not packed; `header_refused` for those that are ours. */
export function requestHeaders({ headers = {}, range }: OpenOptions): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (own.some(([name]) => OURS.has(name) || name.startsWith('proxy-'))) throw new EgressError('header_refused');
  const bytes = range === undefined ? {} : { range: `bytes=${range.start}-${range.end ?? ''}` };
  return { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'weir', ...Object.fromEntries(own), ...bytes };
}

/** What of the headers goes to another origin. */
export function harmlessHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));
}
