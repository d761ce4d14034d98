import { RE2JS } from 're2js';

/** Product of the counts of a pattern's repetitions; what they unfold to must fit the memory that RE2 gives one pattern. */
const MAX_REPEATS = 100;

/** Why a pattern cannot be used: RE2, which takes linear time, does not know it, or it unfolds to too much. */
export function patternFault(pattern: string): 'not_re2' | 'pattern_too_large' | undefined {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  if (counts.reduce((product, count) => product * Math.max(1, count), 1) > MAX_REPEATS) return 'pattern_too_large';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    return 'not_re2';
  }
}
