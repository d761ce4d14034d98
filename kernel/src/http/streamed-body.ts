import { Readable } from 'node:stream';
import { type ConnectionLimits, endRequestAfter } from '@weir/http-limits';
import type { FastifyInstance, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';

const OCTETS = 'application/octet-stream' satisfies Endpoint['consumes'];

/** Leaves the bodies of endpoints that consume bytes unread, for their handlers, and gives them time to arrive. */
export function takeStreams(app: FastifyInstance, { streamTimeoutMs, lingerMs }: ConnectionLimits): void {
  app.addContentTypeParser(OCTETS, async (request: FastifyRequest) => {
    const { config, bodyLimit } = request.routeOptions;
    if (config.endpoint?.consumes !== OCTETS) throw kernelProblems.unsupportedMediaType();
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw kernelProblems.payloadTooLarge();
    endRequestAfter(request.raw, streamTimeoutMs);
  });
  // A refused caller that still sends is read for a little while, so that it gets its answer.
  app.addHook('onResponse', async ({ raw, routeOptions }) => {
    if (routeOptions.config.endpoint?.consumes === undefined || raw.complete) return;
    raw.resume();
    endRequestAfter(raw, lingerMs);
  });
}

/** Refuses any other type for a route that consumes bytes; a hook of the route, so that the audit trail has the call. */
export const bytesOnly: preParsingAsyncHookHandler = async ({ headers }) => {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== undefined && type !== OCTETS) throw kernelProblems.unsupportedMediaType();
};

/** The bytes of a request, read as fast as they are taken. */
export const contentOf = (request: FastifyRequest): Readable =>
  Readable.from(bounded(request, request.routeOptions.bodyLimit), { objectMode: false });

async function* bounded({ raw }: FastifyRequest, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  // The connection stays, so that a refusal can be sent over it.
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    left -= chunk.length;
    if (left < 0) throw kernelProblems.payloadTooLarge();
    yield chunk;
  }
}
