import { service } from '@weir/kernel/contract';

/** One figure, summed over all processes; histograms come as their `_bucket`, `_sum` and `_count` figures. */
export interface Total {
  metricName: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What all processes have counted, for plugins that show some of it. */
export interface FiguresService {
  /** The figures of one counter or histogram by its name, at most five seconds old. */
  totals(name: string): Promise<readonly Total[]>;
}

export const Figures = service<FiguresService>('platform.figures@1');
