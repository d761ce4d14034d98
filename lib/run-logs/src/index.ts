/** Door of the logs of runs: the port, its two stores, and the writer of a run's log. */

export { type BoundedLines, boundedLines, type LineBounds } from './bounded-lines.ts';
export { type FileStoreOptions, fileStore } from './files/file-store.ts';
export type { Segment, SegmentIndex } from './files/segment.ts';
export type { LineFilter } from './line-filter.ts';
export { isSearchable, MAX_PATTERN_CHARS } from './linear-search.ts';
export {
  type LineDraft,
  LOG_LEVELS,
  type LogFields,
  type LoggedRun,
  type LogLevel,
  type LogLine,
  type LogPart,
} from './log-line.ts';
export type { LokiOptions } from './loki/loki-client.ts';
export { lokiStore } from './loki/loki-store.ts';
export { droppedLine, openRunLog, type RunLogWriter, sizeOfLine } from './open-run-log.ts';
export { cutLine, MAX_LINE_CHARS, plainLines, plainText } from './plain-lines.ts';
export { type LinePage, readAll, readPage } from './read-lines.ts';
export { RunLogError } from './run-log-error.ts';
export type { LevelCounts, RunLogStore } from './run-log-store.ts';
