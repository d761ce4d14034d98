import type { FastifyReply } from 'fastify';

/** Aborts when the caller has gone away before the answer was sent. */
export function goneSignal({ raw: response }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const look = () => response.writableFinished || gone.abort();
  if (response.closed) look();
  else response.once('close', look);
  return gone.signal;
}
