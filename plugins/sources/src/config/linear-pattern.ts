import { RE2JS } from 're2js';

/** Instructions of a pattern times characters of a text: about 20 ms of one processor, in which the loop stands still. */
const MAX_STEPS = 20_000_000;
const MAX_PATTERN_LENGTH = 2_000;

/** Tells whether a text has what a pattern looks for. */
export type Matches = (text: string) => boolean;

/**
 * Compiles a pattern of a connector for a matcher whose time is linear in the text (RE2), whatever the pattern: one of
 * JavaScript's may take for ever. Undefined for what RE2 has not, such as look-ahead and back-references. A text that is
 * too long for its pattern does not match.
 */
export function linearPattern(source: string): Matches | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    const longest = MAX_STEPS / compiled.programSize();
    return (text) => text.length <= longest && compiled.test(text);
  } catch {
    return undefined;
  }
}

/** Compiles each pattern once. */
export function linearPatterns(): (source: string) => Matches | undefined {
  const compiled = new Map<string, Matches | undefined>();
  return (source) => {
    if (!compiled.has(source)) compiled.set(source, linearPattern(source));
    return compiled.get(source);
  };
}
