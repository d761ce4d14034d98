import { linearSearch, literalSearch } from './linear-search.ts';
import { attemptOf, type LogLevel, type LogLine, levelsFrom } from './log-line.ts';

/** Which lines are wanted; all of what is given must hold. */
export interface LineFilter {
  /** This level, or a graver one. */
  readonly level?: LogLevel | undefined;
  readonly stream?: string | undefined;
  readonly step?: string | undefined;
  readonly attempt?: number | undefined;
  /** At this time or later, in milliseconds. */
  readonly from?: number | undefined;
  /** Before this time. */
  readonly to?: number | undefined;
  /** The message holds this text, whatever its case. */
  readonly text?: string | undefined;
  /** The message has what this expression (RE2) looks for. */
  readonly pattern?: string | undefined;
}

/** Compiles a filter. Throws a `RunLogError` (`refused`) for a pattern that `isSearchable` would not take. */
export function lineMatcher(filter: LineFilter): (line: LogLine) => boolean {
  const { level, stream, step, attempt, from, to, text, pattern } = filter;
  const levels = level === undefined ? undefined : new Set(levelsFrom(level));
  const tests: ((line: LogLine) => boolean)[] = [];
  if (levels !== undefined) tests.push((line) => levels.has(line.level));
  if (stream !== undefined) tests.push((line) => line.stream === stream);
  if (step !== undefined) tests.push((line) => line.step === step);
  if (attempt !== undefined) tests.push(({ seq }) => attemptOf(seq) === attempt);
  if (from !== undefined) tests.push(({ at }) => Date.parse(at) >= from);
  if (to !== undefined) tests.push(({ at }) => Date.parse(at) < to);
  if (text !== undefined && text !== '') {
    const search = literalSearch(text);
    tests.push(({ message }) => search(message));
  }
  if (pattern !== undefined) {
    const search = linearSearch(pattern);
    tests.push(({ message }) => search(message));
  }
  return (line) => tests.every((test) => test(line));
}
