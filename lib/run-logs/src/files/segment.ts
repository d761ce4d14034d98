import { LOG_LEVELS, type LoggedRun, type LogLevel, type LogLine } from '../log-line.ts';
import type { LevelCounts } from '../run-log-store.ts';

/** A file of lines of one writer, and what is known of it without opening it. */
export interface Segment {
  /** Place of its first line, which names it. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lines: number;
  /** As far as this the file holds whole lines; what may stand behind it was never told of. */
  readonly bytes: number;
  /** Times of its first and last line, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly levels: LevelCounts;
}

/** Where it is kept which segments a run has. */
export interface SegmentIndex {
  /** Keeps what a segment is now; the last word counts. */
  put(run: LoggedRun, segment: Segment): Promise<void>;
  /** All segments of a run, in any order. */
  list(run: LoggedRun): Promise<readonly Segment[]>;
  remove(run: LoggedRun): Promise<void>;
}

/** A segment with more lines behind it. */
export function grown(before: Segment | undefined, lines: readonly LogLine[], bytes: number): Segment {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a batch holds at least one line');
  const levels: Partial<Record<LogLevel, number>> = { ...before?.levels };
  for (const { level } of lines) levels[level] = (levels[level] ?? 0) + 1;
  return {
    firstSeq: before?.firstSeq ?? first.seq,
    lastSeq: last.seq,
    lines: (before?.lines ?? 0) + lines.length,
    bytes: (before?.bytes ?? 0) + bytes,
    from: before?.from ?? Date.parse(first.at),
    to: Date.parse(last.at),
    levels,
  };
}

/** The lines of each level in all segments together. */
export function levelsOf(segments: readonly Segment[]): LevelCounts {
  const sum = (level: LogLevel) => segments.reduce((total, { levels }) => total + (levels[level] ?? 0), 0);
  return Object.fromEntries(LOG_LEVELS.map((level) => [level, sum(level)]).filter(([, lines]) => lines !== 0));
}
