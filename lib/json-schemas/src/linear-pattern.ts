import { RE2JS } from 're2js';

/** Instructions of a pattern times characters of a text: some 30 ms of one processor, in which the loop stands still. */
const MAX_STEPS = 2_000_000;
/** What a pattern may unfold to, when each part is written as often as it may repeat; compiling that takes as long. */
const MAX_UNFOLDED = 4_000;
const MAX_PATTERN_LENGTH = 2_000;
/** An escape, a class, a counted repetition, or one character. */
const TOKEN = /\\(?:[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gs;

/** Tells whether a text has what a pattern looks for. */
export type Matches = (text: string) => boolean;

/**
 * Compiles a pattern of a connector for a matcher whose time is linear in the text (RE2), whatever the pattern: one of
 * JavaScript's may take for ever. Undefined for what RE2 has not, such as look-ahead and back-references, and for what is
 * too large. A text that is too long for its pattern does not match.
 */
export function linearPattern(source: string): Matches | undefined {
  if (source.length > MAX_PATTERN_LENGTH || unfoldedSize(source) > MAX_UNFOLDED) return undefined;
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

/** At least as many parts as a pattern has once its counted repetitions are written out. */
function unfoldedSize(source: string): number {
  const open: number[] = [];
  let size = 0;
  let last = 0;
  for (const { 0: token, groups: { least, most } = {} } of source.matchAll(TOKEN)) {
    if (token === '(') {
      open.push(size);
      size = 0;
    } else if (token === ')') {
      last = size;
      size += open.pop() ?? 0;
    } else if (least !== undefined) {
      const times = Math.max(1, Number(most || least));
      size += last * (times - 1);
      last *= times;
    } else {
      last = 1;
      size += 1;
    }
  }
  return open.reduce((sum, outer) => sum + outer, size);
}
