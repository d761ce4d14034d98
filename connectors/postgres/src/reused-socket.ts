import { Socket } from 'node:net';

/** What one read of a connection brings at most. */
const READ_BYTES = 256 * 1024;
/** After a read of less, the next one waits: a server sends 8 KiB at a time, and each read has its price. */
const FEW_BYTES = 32 * 1024;
/** How long it waits; the system takes the server's bytes in meanwhile. */
const GATHER_MS = 1;

/** Takes the bytes of a read; they are the socket's own again when it returns, or when the socket is resumed. */
type TakeBytes = (bytes: Buffer) => void;

const takers = new WeakMap<Socket, TakeBytes>();
const reused = new WeakSet<Socket>();

/**
 * A socket that reads into the same memory again and again: fresh memory for each read of a large copy costs more than reading it.
 * Who listens to its data gets copies of their own; `takeBytes` gets the memory itself.
 */
export function reusedSocket(): Socket {
  const memory = Buffer.allocUnsafeSlow(READ_BYTES);
  const socket: Socket = new Socket({
    onread: {
      buffer: memory,
      callback(count) {
        const bytes = memory.subarray(0, count);
        const take = takers.get(socket);
        if (take === undefined) socket.emit('data', Buffer.from(bytes));
        else take(bytes);
        if (count < FEW_BYTES && takers.has(socket) && !socket.isPaused()) {
          socket.pause();
          setTimeout(() => socket.resume(), GATHER_MS);
        }
        return true;
      },
    },
  });
  reused.add(socket);
  return socket;
}

/** Hands the bytes of a socket to `take`, and to nobody else, until the function that it gives is called. */
export function takeBytes(socket: Socket, take: TakeBytes): () => void {
  if (reused.has(socket)) {
    takers.set(socket, take);
    return () => void takers.delete(socket);
  }
  const before = socket.listeners('data') as TakeBytes[];
  for (const listener of before) socket.off('data', listener);
  socket.on('data', take);
  return () => {
    socket.off('data', take);
    for (const listener of before) socket.on('data', listener);
  };
}
