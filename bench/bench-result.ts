import type { Figures } from './measure/paired.ts';

/** How much a suite is to do. */
export interface BenchOptions {
  /** One run of little data: shows that it works, not how fast. */
  quick: boolean;
  /** Rows of the main cases, where a suite has any. */
  rows: number | undefined;
  /** Only the cases whose name holds this text. */
  only: string;
}

/** One row of a suite: what it measured, beside what, and the bar that it has to meet. */
export interface BenchCase extends Partial<Figures> {
  case: string;
  /** What the figures hold, so that nobody has to guess what is in them. */
  note?: string;
  /** Times of single actions in milliseconds, by what they are a mark of. */
  marks_ms?: Record<string, number>;
  /** The other side of the comparison, measured in turn with ours. */
  peer?: Partial<Figures> & { name: string };
  /** How many times better ours is: by rows per second of processor time, or by what `note` says. */
  ratio?: number;
  /** The ratio when the processor time of a run of ten rows is taken from both sides. */
  ratio_without_start?: number;
  /** The ratio when the processor time of container engines themselves is taken from both sides. */
  ratio_without_engine?: number;
  /** How well pairs were found: the harmonic mean of precision and recall. */
  f1?: number;
  /** Mean reciprocal rank of the first right answer. */
  mrr?: number;
  /** By how much our rank is above that of the other side. */
  lead?: number;
  /** What has to hold: a figure of this case that is at least, or at most, so much. */
  bars?: readonly Bar[];
  /** The most memory of the sync process alone, in MiB; of the one that had most where there are several. */
  child_mb?: number;
  /** The most memory of the worker itself, in MiB. */
  main_mb?: number;
  /** How many sync processes there were at once. */
  children?: number;
  /** The most that lay on the disk between the connector and the store, in MiB. */
  scratch_mb?: number;
  /** Our processor time by that of the other side. */
  share?: number;
  /** The same without that of container engines themselves, on both sides. */
  share_without_engine?: number;
  /** Rows per processor second of a connector that nobody reads. */
  alone_rows_per_cpu_s?: number;
  /** How many times as much memory as a tenth of the rows takes. */
  growth?: number;
  /** How many runs were counted. */
  runs?: number;
}

export interface Bar {
  /** A member of the case, or of its `marks_ms`. */
  figure: string;
  least?: number;
  most?: number;
}

/** What a suite found: its cases in the order to be shown. */
export interface BenchResult {
  suite: string;
  cases: BenchCase[];
}

/** The figure that a bar is about. */
export function barFigure({ marks_ms, ...found }: BenchCase, { figure }: Bar): number | undefined {
  const value = marks_ms?.[figure] ?? (found as Record<string, unknown>)[figure];
  return typeof value === 'number' ? value : undefined;
}

/** Whether a bar is met; a figure that was not measured meets none. */
export function meets(found: BenchCase, bar: Bar): boolean {
  const value = barFigure(found, bar);
  return value !== undefined && value >= (bar.least ?? -Infinity) && value <= (bar.most ?? Infinity);
}
