import { RE2JS } from 're2js';
import { RunLogError } from './run-log-error.ts';

/** A search is typed by hand; a longer pattern is none. */
export const MAX_PATTERN_CHARS = 500;
/** What a pattern may unfold to when its counted repetitions are written out: compiling takes as long. */
const MAX_UNFOLDED = 2_000;
const COUNTED = /\{(\d{1,6})(?:,(\d{0,6}))?\}/g;

/** Whether a text has what is looked for. */
export type Search = (text: string) => boolean;

/** Finds a text whatever its case; both are compared by Unicode's simple case folding, as RE2 does. */
export function literalSearch(text: string): Search {
  const literal = new RegExp(escaped(text), 'iu');
  return (line) => literal.test(line);
}

/**
 * Compiles a pattern for a matcher whose time is linear in the text, whatever the pattern (RE2). Throws a `RunLogError`
 * (`refused`) for one that is too long, unfolds to too much, or is none.
 */
export function linearSearch(pattern: string): Search {
  if (pattern.length > MAX_PATTERN_CHARS || unfolded(pattern) > MAX_UNFOLDED) {
    throw new RunLogError('refused', 'the pattern is too large');
  }
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.test(text);
  } catch (cause) {
    throw new RunLogError('refused', 'the pattern is not one of RE2', { cause });
  }
}

export function isSearchable(pattern: string): boolean {
  try {
    linearSearch(pattern);
    return true;
  } catch {
    return false;
  }
}

/** At least what repetitions make of a pattern: they may stand in each other, so that they multiply. */
function unfolded(pattern: string): number {
  let times = 1;
  for (const [, least = '0', most] of pattern.matchAll(COUNTED)) times *= Math.max(1, Number(most || least));
  return times * pattern.length;
}

/** The text as an expression that finds it and nothing else, for JavaScript and RE2 alike. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
