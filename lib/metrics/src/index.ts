export {
  createMetrics,
  type Labels,
  type LabelValues,
  type MetricSpec,
  type Metrics,
  REQUEST_SECONDS,
  RUN_SECONDS,
} from './metrics.ts';
