import { type Static, Type } from '@sinclair/typebox';
import { endpoint, OneOf, platformPermission } from '@weir/kernel/contract';

/** The text form that Prometheus reads. */
export const METRICS_TEXT = 'text/plain; version=0.0.4';

/** One figure; histograms come as their `_bucket`, `_sum` and `_count` figures. */
export const MetricSample = Type.Object({
  name: Type.String(),
  type: OneOf(['counter', 'histogram', 'gauge']),
  labels: Type.Record(Type.String(), Type.String()),
  value: Type.Number(),
});
export type MetricSampleView = Static<typeof MetricSample>;

export const getMetrics = endpoint({
  id: 'platform.get_metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'Show the metrics of all processes',
  description:
    'Counters and histograms are the sums over every process that has run since the database was made; a process that is killed takes at most the last five seconds with it. Gauges are what the answering process sees. No label names a tenant.',
  access: platformPermission('metrics:read', { capability: 'metrics:read' }),
  produces: [METRICS_TEXT, 'application/json'],
  response: Type.Object({ items: Type.Array(MetricSample) }),
  cli: { words: 'ops metrics', columns: ['name', 'labels', 'value'] },
});
