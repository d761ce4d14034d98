import type { ReadColumn } from './column.ts';
import { GROUPS } from './words/thesaurus.ts';

/** How alike two names are, from 0 to 1, for all pairs of two lists. */
export type NameSimilarity = (a: ReadColumn, b: ReadColumn) => number;

const LEAST_PREFIX = 3;
const LEAST_SUBSEQUENCE = 3;
/** What one word is worth for another, by how they go together. */
const WORTH = { synonym: 0.75, prefix: 0.85, subsequence: 0.6, letters: 0.9 };
const LEAST_LETTERS = 0.6;
const LEAST_WEIGHT = 0.15;
/** A single letter or digit says little. */
const SHORT = 0.4;
const SHARES = { words: 0.55, oneSided: 0.2, letters: 0.25 };
const ACRONYM = 0.85;

/** Words that many names of both lists have count less, as `id` and `date` do. */
export function nameSimilarity(columns: readonly ReadColumn[]): NameSimilarity {
  const weigh = wordWeights(columns);
  const pairs = new Map<string, number>();
  const grams = new Map(columns.map(({ joined }) => [joined, gramsOf(joined)]));
  const likeness = (a: string, b: string) => {
    if (a === b) return 1;
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const found = wordLikeness(a, b);
    pairs.set(key, found);
    return found;
  };
  const covered = (from: readonly string[], by: readonly string[]) => {
    let [sum, whole] = [0, 0];
    for (const word of from) {
      let best = 0;
      for (const other of by) best = Math.max(best, likeness(word, other));
      sum += weigh(word) * best;
      whole += weigh(word);
    }
    return [sum, whole] as const;
  };
  return (a, b) => {
    if (a.joined === '' || b.joined === '') return a.name === b.name ? 1 : 0;
    if (a.joined === b.joined) return 1;
    const [sumA, wholeA] = covered(a.words, b.words);
    const [sumB, wholeB] = covered(b.words, a.words);
    const words = (sumA + sumB) / (wholeA + wholeB);
    const oneSided = Math.max(sumA / wholeA, sumB / wholeB);
    const letters = dice(grams.get(a.joined) ?? [], grams.get(b.joined) ?? []);
    const mixed = SHARES.words * words + SHARES.oneSided * oneSided + SHARES.letters * letters;
    return Math.max(mixed, isAcronym(a, b) || isAcronym(b, a) ? ACRONYM : 0);
  };
}

function wordWeights(columns: readonly ReadColumn[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const { words } of columns) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = Math.log(1 + columns.length);
  return (word) => {
    const weight = Math.max(LEAST_WEIGHT, Math.log(1 + columns.length / (counts.get(word) ?? 1)) / most);
    return word.length === 1 ? weight * SHORT : weight;
  };
}

function wordLikeness(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let best = shareGroup(a, b) ? WORTH.synonym : 0;
  if (short.length >= LEAST_PREFIX && long.startsWith(short)) best = Math.max(best, WORTH.prefix);
  else if (isShortened(short, long)) best = Math.max(best, WORTH.subsequence);
  const letters = dice(gramsOf(a), gramsOf(b));
  return letters >= LEAST_LETTERS ? Math.max(best, letters * WORTH.letters) : best;
}

function shareGroup(a: string, b: string): boolean {
  const lines = GROUPS.get(a);
  return lines !== undefined && (GROUPS.get(b)?.some((line) => lines.includes(line)) ?? false);
}

/** Whether letters were left out of a word, the first one kept: `mgr` of `manager`. */
function isShortened(short: string, long: string): boolean {
  if (short.length < LEAST_SUBSEQUENCE || short.length * 3 < long.length || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length && short.length < long.length;
}

/** Whether a name consists of the first letters of the words of another one. */
function isAcronym(short: ReadColumn, long: ReadColumn): boolean {
  if (long.words.length < 2 || short.joined.length !== long.words.length) return false;
  return long.words.every((word, at) => word[0] === short.joined[at]);
}

/** Pairs of neighbouring letters, sorted, with the ends of the word marked. */
function gramsOf(text: string): string[] {
  const marked = `^${text}$`;
  return Array.from({ length: marked.length - 1 }, (_, at) => marked.slice(at, at + 2)).sort();
}

/** The share of what two sorted lists have in common. */
function dice(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 0;
  let [i, j, common] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [left = '', right = ''] = [a[i], b[j]];
    if (left === right) common += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return (2 * common) / (a.length + b.length);
}
