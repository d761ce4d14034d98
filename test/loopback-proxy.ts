import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy on 127.0.0.1 before a service. */
export interface LoopbackProxy {
  /** As the given URL, by way of the proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a proxy before the host and port of a URL; `join` says what becomes of what the two ends of a connection say, and
 * of an end that fails. `pieceBytes` is what is taken from a client at a time.
 */
export async function startLoopbackProxy(
  target: string,
  join: (client: Socket, server: Socket) => void,
  { pieceBytes }: { pieceBytes?: number } = {},
): Promise<LoopbackProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const proxy = createServer(pieceBytes === undefined ? {} : { highWaterMark: pieceBytes }, (client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
    join(client, server);
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
