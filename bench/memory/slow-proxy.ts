import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoopbackProxy, startLoopbackProxy } from '../../test/loopback-proxy.ts';

/** What is taken from a client at a time, so that all of them get on. */
const PIECE_BYTES = 16 * 1024;

/**
 * A proxy on 127.0.0.1 before an HTTP service, which takes no more than so many bytes in a second from all of its clients
 * together, as a busy store or a thin line would. Answers are not held up.
 */
export function startSlowProxy(target: string, bytesPerSecond: number): Promise<LoopbackProxy> {
  let freeAt = 0;
  /** When that many bytes may go on. */
  const turn = async (bytes: number) => {
    const now = performance.now();
    freeAt = Math.max(freeAt, now) + (bytes / bytesPerSecond) * 1_000;
    await delay(freeAt - now);
  };
  const forward = async (client: Socket, server: Socket) => {
    for await (const chunk of client) {
      await turn((chunk as Buffer).length);
      if (!server.write(chunk)) await once(server, 'drain');
    }
    server.end();
  };
  const join = (client: Socket, server: Socket) => {
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end);
    server.pipe(client);
    forward(client, server).catch(end);
  };
  return startLoopbackProxy(target, join, { pieceBytes: PIECE_BYTES });
}
