import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/** How many connections a server holds, and for how long; milliseconds. */
export interface ConnectionLimits {
  total: number;
  /** Connections of one address, or of the first 64 bits of one of IPv6; trusted proxies have no such bound. */
  perAddress: number;
  requestTimeoutMs: number;
  /** The same for a request whose body is a stream of bytes. */
  streamTimeoutMs: number;
  headersTimeoutMs: number;
  /** Interval of the checks of `headersTimeoutMs`. */
  checkIntervalMs: number;
  /** Longest time without a byte in either direction; event streams send one every 15 s. */
  silenceMs: number;
  /** Grace period for a refused client to read its answer and close. */
  lingerMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  total: 2_048,
  perAddress: 512,
  requestTimeoutMs: 30_000,
  streamTimeoutMs: 4 * 60 * 60_000,
  headersTimeoutMs: 15_000,
  checkIntervalMs: 5_000,
  silenceMs: 180_000,
  lingerMs: 2_000,
};

const WARN_INTERVAL_MS = 60_000;

/** Connections over which a good credential came. */
const trusted = new WeakSet<Socket>();

/** Lets a connection stay when its address opens too many. */
export const trustConnection = (socket: Socket): void => void trusted.add(socket);

/**
 * Holds connections within the limits and warns at most once a minute. Beyond the limit of an address the oldest over which
 * no good credential came is dropped, so that a flood leaves room for a valid caller.
 */
export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  isProxy: (address: string) => boolean,
  log: { warn(fields: object, message: string): void },
): void {
  const held = new Map<string, Set<Socket>>();
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (limit: string) => {
    if (performance.now() - warnedAt < WARN_INTERVAL_MS) return;
    warnedAt = performance.now();
    log.warn({ limit }, 'too many connections: some are dropped');
  };
  server.maxConnections = total;
  server.on('drop', () => warn('total'));
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const sockets = (held.get(network) ?? new Set()).add(socket);
    held.set(network, sockets);
    const forget = (one: Socket) => {
      sockets.delete(one);
      if (sockets.size === 0 && held.get(network) === sockets) held.delete(network);
    };
    socket.once('close', () => forget(socket));
    if (sockets.size <= perAddress) return;
    warn('per address');
    const dropped = sockets.values().find((one) => !trusted.has(one)) ?? socket;
    forget(dropped);
    dropped.destroy();
  });
}

/** How to give a request that arrives another time to do so. */
const deadlines = new WeakMap<IncomingMessage, (ms: number) => void>();

/** Ends requests whose body takes too long with 408. Node's own timeout is the same for all routes. */
export function limitRequests(server: Server, { requestTimeoutMs }: ConnectionLimits): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers;
    if (length === '0' && chunked === undefined) return;
    const error = Object.assign(new Error('request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const late = () => request.complete || server.emit('clientError', error, request.socket);
    let timer = setTimeout(late, requestTimeoutMs);
    request.once('close', () => clearTimeout(timer));
    deadlines.set(request, (ms) => {
      clearTimeout(timer);
      timer = setTimeout(late, ms);
    });
  });
}

/** Gives a request this long, from now, to send its body. */
export const endRequestAfter = (request: IncomingMessage, ms: number): void => deadlines.get(request)?.(ms);

/** Sends the last bytes of a connection, and frees it even if the client never closes its side. */
export function endWithin(socket: Socket, bytes: string, lingerMs: number): void {
  const late = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(late));
  socket.end(bytes);
}
