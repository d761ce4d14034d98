import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { EgressError } from './egress-error.ts';

/** The most header bytes that are taken of one answer. */
const MAX_HEADER_BYTES = 16 * 1024;

export type ExchangeRequest = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/**
 * Sends one request over a connection of its own and waits for the head of the answer: `headers_too_large`,
 * `response_invalid`, `connection_lost`. The connection serves this one exchange.
 */
export function exchange(
  socket: Socket,
  { url, method, headers, body }: ExchangeRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  // Asked for only here, and not by an import, which makes Node load its fetch and its WebSocket too: who checks addresses and
  // sends no request would pay for that at each start with twice what an empty process costs.
  const request = process.getBuiltinModule('node:http').request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers, ...length, connection: 'close' },
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  request.once('response', (response) => {
    signal.removeEventListener('abort', abort);
    resolve(response);
  });
  request.on('error', (cause) => reject(wireFault(cause)));
  request.once('close', () => reject(new EgressError('connection_lost')));
  request.end(body);
  return promise;
}

/** The fault that an error of the HTTP parser or of the socket stands for. */
export function wireFault(cause: unknown): EgressError {
  if (cause instanceof EgressError) return cause;
  const code = String((cause as NodeJS.ErrnoException | undefined)?.code);
  if (code === 'HPE_HEADER_OVERFLOW') return new EgressError('headers_too_large', cause);
  return new EgressError(code.startsWith('HPE_') ? 'response_invalid' : 'connection_lost', cause);
}
