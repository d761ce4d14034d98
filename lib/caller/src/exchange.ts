import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Answer, readAnswer } from './answer.ts';
import { type CallerCode, CallerError } from './caller-error.ts';

const MAX_CONNECTIONS = 32;
const MAX_HEADER_BYTES = 16 * 1024;
/** Idle connections are closed before most servers close them, as a request on a closing one is lost. */
const IDLE_MS = 4_000;

export interface ServerOptions {
  readonly base: URL;
  /** Authorities in PEM instead of the system's. */
  readonly ca?: string | undefined;
  /** False opens a connection for each request, so that a lost answer never comes from an idle connection. */
  readonly keepAlive?: boolean | undefined;
}

export interface WireRequest {
  readonly method: string;
  /** Below the base, percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Asks once. @throws CallerError, or the reason of the signal */
export type Exchange = (request: WireRequest) => Promise<Answer>;

export function createExchange({ base, ca, keepAlive = true }: ServerOptions): Exchange {
  const isSecure = base.protocol === 'https:';
  const bounds = { keepAlive, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent({ ...bounds, ca }) : new HttpAgent(bounds);
  const open = isSecure ? httpsRequest : httpRequest;
  const place: RequestOptions = {
    agent,
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (isSecure ? 443 : 80),
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const prefix = base.pathname.replace(/\/+$/, '');
  return async ({ method, path, headers, body, timeoutMs, maxBytes, signal }) => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = open({ ...place, method, path: `${prefix}${path}`, headers: { ...headers, host: base.host } });
    let [isReached, isSent] = [false, false];
    const end = (reason: unknown) => {
      reject(reason);
      request.destroy();
    };
    const fail = (code: CallerCode) => end(new CallerError(code, isSent));
    const abort = () => end(signal?.reason);
    const timer = setTimeout(() => fail('timed_out'), timeoutMs);
    signal?.addEventListener('abort', abort);
    request.once('socket', (socket) => {
      if (request.reusedSocket) {
        [isReached, isSent] = [true, true];
        return;
      }
      socket.once('connect', () => {
        [isReached, isSent] = [true, !isSecure];
      });
      socket.once('secureConnect', () => {
        isSent = true;
      });
    });
    request.once('response', (message) => void readAnswer(message, maxBytes).then(resolve, end));
    request.on('error', () => fail(isSent ? 'connection_lost' : isReached ? 'tls_failed' : 'address_unreachable'));
    request.end(body);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  };
}
