import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface SlowProxy {
  /** As the given URL, by way of the proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/** What is taken from a client at a time, so that all of them get on. */
const PIECE_BYTES = 16 * 1024;

/**
 * A proxy on 127.0.0.1 before an HTTP service, which takes no more than so many bytes in a second from all of its clients
 * together, as a busy store or a thin line would. Answers are not held up.
 */
export async function startSlowProxy(target: string, bytesPerSecond: number): Promise<SlowProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
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
  const proxy = createServer({ highWaterMark: PIECE_BYTES }, (client) => {
    const server = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', end).on('close', () => open.delete(socket));
    }
    server.pipe(client);
    forward(client, server).catch(end);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
