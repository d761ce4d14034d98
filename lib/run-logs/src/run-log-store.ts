import type { LineFilter } from './line-filter.ts';
import type { LoggedRun, LogLevel, LogLine, LogPart } from './log-line.ts';

/** How many lines of each level a run has; levels without a line may be left out. */
export type LevelCounts = Readonly<Partial<Record<LogLevel, number>>>;

/** Where to read, and in which direction. */
export interface ReadRequest {
  readonly filter: LineFilter;
  readonly direction: 'forward' | 'backward';
  /** Only behind this place, in the direction; from the end of the log when absent. */
  readonly after?: number | undefined;
  /** About so many lines are wanted; a store that answers by request asks for no more at once. */
  readonly wanted: number;
}

/** Lines that fit, in the direction, and the place up to which everything was looked at. */
export interface LineChunk {
  readonly lines: readonly LogLine[];
  readonly reached: number;
}

/**
 * The port: keeps the lines of runs. A reader sees each line that was appended when it began, once, in the order of the
 * places. All failures are a `RunLogError`.
 */
export interface RunLogStore {
  /**
   * Appends lines of one writer, places rising; all or none of them. A batch whose outcome is unknown is appended again.
   */
  append(run: LoggedRun, lines: readonly LogLine[]): Promise<void>;
  /** The writer of that part of an attempt has nothing more to say. */
  end(run: LoggedRun, attempt: number, part: LogPart): Promise<void>;
  read(run: LoggedRun, request: ReadRequest): AsyncIterable<LineChunk>;
  count(run: LoggedRun): Promise<LevelCounts>;
  /** Nothing of the run is left; a run without lines is no fault. */
  remove(run: LoggedRun): Promise<void>;
}
