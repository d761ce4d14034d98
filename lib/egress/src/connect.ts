import { connect as connectTcp, type Socket } from 'node:net';
import { EgressError } from './egress-error.ts';
import { parseAddress } from './network.ts';
import type { Target } from './target.ts';

/** Opens a connection to an address; an abort of the signal ends the attempt. */
export type Connect = (target: Target, signal: AbortSignal) => Promise<Socket>;

/** Connects by TCP, or by TLS with a certificate that must be for the target's name. `connect_failed`, `tls_failed`. */
export const connect: Connect = ({ address, port, servername }, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const place = { host: address, port };
  const socket = servername === undefined ? connectTcp(place) : connectTls({ ...place, servername });
  let reached = false;
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('connect', () => {
    reached = true;
  });
  socket.once(servername === undefined ? 'connect' : 'secureConnect', () => {
    signal.removeEventListener('abort', abort);
    resolve(socket);
  });
  // Stays for the life of the socket: what happens later is told by the request, and must not end the process.
  socket.on('error', (cause) => reject(new EgressError(reached ? 'tls_failed' : 'connect_failed', cause)));
  socket.once('close', () => reject(new EgressError(reached ? 'tls_failed' : 'connect_failed')));
  return promise;
};

function connectTls(place: { readonly host: string; readonly port: number; readonly servername: string }): Socket {
  // An import of it makes Node read all authorities that it knows, at each start of who may never need one.
  const tls = process.getBuiltinModule('node:tls');
  return tls.connect({ ...place, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
}

/** Refuses a connection that did not end up at the address which was checked. */
export function assertPinned(socket: Socket, { address }: Target): void {
  const peer = parseAddress(socket.remoteAddress ?? '');
  const wanted = parseAddress(address);
  if (peer !== undefined && peer.family === wanted?.family && peer.value === wanted.value) return;
  socket.destroy();
  throw new EgressError('address_refused');
}
