import { type Metrics, REQUEST_SECONDS } from '@weir/metrics';
import type { FastifyInstance } from 'fastify';

const CLASSES = ['2xx', '3xx', '4xx', '5xx'];

/** Counts and times every answer by operation; the operations are the declared ones, so the series have a bound. */
export function recordAnswers(app: FastifyInstance, metrics: Metrics, operations: readonly string[]): void {
  const labels = { operation: operations };
  const answers = metrics.counter({
    name: 'weir_http_requests_total',
    help: 'Answers by operation and class of status',
    labels: { ...labels, status: CLASSES },
  });
  const lasted = metrics.histogram({
    name: 'weir_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labels,
    buckets: REQUEST_SECONDS,
  });
  app.addHook('onResponse', async ({ routeOptions }, { statusCode, elapsedTime }) => {
    const operation = routeOptions.config?.endpoint?.id ?? 'none';
    answers({ operation, status: `${Math.floor(statusCode / 100)}xx` });
    lasted({ operation }, elapsedTime / 1000);
  });
}
