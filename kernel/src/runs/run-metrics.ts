import { type Metrics, RUN_SECONDS } from '@weir/metrics';
import { TERMINAL_RUN_STATUSES } from '../contract/shapes.ts';
import type { RunDeps } from './create-runs.ts';
import type { RunKind } from './runs.ts';

/** Counts the runs that end, by kind and outcome, and how long they took from their request on. */
export function runMetrics(metrics: Metrics, kinds: readonly RunKind[]): NonNullable<RunDeps['ended']> {
  const labels = { kind: kinds.map(({ kind }) => kind), status: TERMINAL_RUN_STATUSES };
  const ended = metrics.counter({ name: 'weir_runs_total', help: 'Runs that have ended', labels });
  const lasted = metrics.histogram({
    name: 'weir_run_duration_seconds',
    help: 'From the request of a run to its end',
    labels,
    buckets: RUN_SECONDS,
  });
  return ({ kind, status, seconds }) => {
    ended({ kind, status });
    lasted({ kind, status }, seconds);
  };
}
