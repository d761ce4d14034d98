import type { Family, Profile } from './profile.ts';

const BY_WORD: readonly (readonly [RegExp, Family])[] = [
  [/^(?:int|integer|long|bigint|smallint|tinyint|hugeint|float|double|decimal|numeric|number|real)/, 'number'],
  [/^(?:date|time|timestamp|datetime)/, 'time'],
  [/^bool/, 'boolean'],
  [/^(?:string|text|varchar|char|uuid|enum)/, 'text'],
  [/^(?:struct|object|array|list|map|json|row)/, 'nested'],
];
const TIME_WORDS = new Set(['date', 'time', 'timestamp', 'day']);

/** How well two families go together, from 0 to 1; what is not named is `FAR`. */
const NEAR: Record<string, number> = {
  'number text': 0.6,
  'text time': 0.6,
  'boolean text': 0.5,
  'nested text': 0.7,
  'boolean number': 0.4,
  'number time': 0.4,
};
const FAR = 0.2;
const UNKNOWN = 0.7;

/** The family of a declared type, or of what the values and the name say where texts hold everything. */
export function familyOf(type: string | undefined, words: readonly string[], profile: Profile): Family {
  const word = (type ?? '').trim().toLowerCase();
  const declared = BY_WORD.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown';
  if (declared !== 'text' && declared !== 'unknown') return declared;
  if (profile.family !== undefined) return profile.family;
  return declared === 'text' && words.some((one) => TIME_WORDS.has(one)) && profile.distinct === 0 ? 'time' : declared;
}

/** From 0 to 1. */
export function familySimilarity(a: Family, b: Family): number {
  if (a === 'unknown' || b === 'unknown') return UNKNOWN;
  return a === b ? 1 : (NEAR[[a, b].sort().join(' ')] ?? FAR);
}
