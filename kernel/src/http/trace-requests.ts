import type { OpenSpan, Telemetry } from '@weir/telemetry';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Makes every request a span, named by its operation, that continues the caller's `traceparent`; what the route's
 * function does is part of it.
 */
export function traceRequests(app: FastifyInstance, telemetry: Telemetry): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config;
    const span = telemetry.open({
      name: endpoint?.id ?? 'unknown_route',
      side: 'server',
      parent: request.headers.traceparent?.toString(),
      traceId: request.id,
      attributes: { 'http.request.method': request.method, 'http.route': request.routeOptions.url },
    });
    spans.set(request, span);
    reply.raw.once('close', () => {
      const status = reply.raw.statusCode;
      span.end({ failed: status >= 500, attributes: { 'http.response.status_code': status } });
    });
  });
  app.addHook('preHandler', (request, _reply, done) => {
    telemetry.within(spans.get(request)?.traceparent, done);
  });
}
