import { RE2JS } from 're2js';

/** Product of the counts of a pattern's repetitions; what they unfold to must fit the memory that RE2 gives one pattern. */
const MAX_REPEATS = 100;
const SCRIPTS = 'Arabic|Cyrillic|Devanagari|Greek|Han|Hangul|Hebrew|Hiragana|Katakana|Latin|Thai';
/** What the reader of this process knows beyond the RE2 that runs the statements: named groups of JavaScript, more classes. */
const BEYOND = new RegExp(`\\(\\?<|\\\\[pP]\\{(?!\\^?(?:[A-Z][a-z]?|${SCRIPTS})\\})`);

/** Why a pattern cannot be used: RE2, which takes linear time, does not know it, or it unfolds to too much. */
export function patternFault(pattern: string): 'not_re2' | 'pattern_too_large' | undefined {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  if (counts.reduce((product, count) => product * Math.max(1, count), 1) > MAX_REPEATS) return 'pattern_too_large';
  if (BEYOND.test(pattern)) return 'not_re2';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    return 'not_re2';
  }
}
