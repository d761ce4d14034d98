import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { EgressError } from './egress-error.ts';
import { wireFault } from './exchange.ts';
import { within } from './within.ts';

export type BodyBounds = {
  /** The longest silence between bytes. */
  readonly idleMs: number;
  /** The average rate that a server must reach, once it has been waited for as long as `rateGraceMs`. */
  readonly minBytesPerSecond: number;
  readonly rateGraceMs: number;
  readonly maxBytes: number;
};

/**
 * The body of an answer under its bounds: `idle_timeout`, `too_slow`, `too_large`, `connection_lost`, or the reason of
 * `signal`. Only the time in which we wait for the server counts as its time, so a slow reader is not held against it.
 * Whatever ends the stream ends the connection and calls `release`.
 */
export function boundedBody(
  response: IncomingMessage,
  bounds: BodyBounds,
  signal: AbortSignal,
  release: () => void,
): Readable {
  const destroy = () => void response.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  const body = Readable.from(chunks(response, bounds, signal), { objectMode: false });
  body.once('close', () => {
    signal.removeEventListener('abort', destroy);
    destroy();
    release();
  });
  return body;
}

async function* chunks(response: IncomingMessage, bounds: BodyBounds, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { idleMs, minBytesPerSecond, rateGraceMs, maxBytes } = bounds;
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw new EgressError('too_large');
  const iterator = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let received = 0;
  let waitedMs = 0;
  for (;;) {
    const asked = performance.now();
    const next = await within({ ms: idleMs, code: 'idle_timeout' }, signal, () => iterator.next()).catch((cause) => {
      throw signal.aborted ? signal.reason : wireFault(cause);
    });
    if (next.done === true) break;
    waitedMs += performance.now() - asked;
    received += next.value.length;
    if (received > maxBytes) throw new EgressError('too_large');
    const isSlow = waitedMs > rateGraceMs && received * 1000 < minBytesPerSecond * waitedMs;
    if (isSlow) throw new EgressError('too_slow');
    yield next.value;
  }
  if (!response.complete) throw new EgressError('connection_lost');
}
