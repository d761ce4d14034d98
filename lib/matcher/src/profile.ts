import { plain } from './words/split.ts';

/** What kinds of types have in common, as far as columns with one meaning can differ. */
export type Family = 'number' | 'time' | 'boolean' | 'text' | 'nested' | 'unknown';

/** What the values of a column are like. */
export interface Profile {
  /** How many different values there are. */
  distinct: number;
  /** The values as plain text, each once. */
  texts: ReadonlySet<string>;
  /** The words of the values, each once. */
  tokens: ReadonlySet<string>;
  /** The concepts whose form every value has, such as `email`. */
  kinds: readonly string[];
  family: Family | undefined;
  /** The middle and the outer values of numbers, ascending. */
  quantiles: readonly number[] | undefined;
}

const MOST_VALUES = 200;
const MOST_LENGTH = 200;

/** Forms that say what a value means, with the words of names that they go with. */
const KINDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, ['email']],
  [/^https?:\/\/\S+\.(?:png|jpe?g|gif|svg|webp)$/i, ['image']],
  [/^https?:\/\/\S+\.(?:pdf|docx?)$/i, ['document']],
  [/^https?:\/\/\S+$/i, ['url']],
  [/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i, ['mac']],
  [/^(?:\d{1,3}\.){3}\d{1,3}$/, ['ip']],
  [/^\+\d[\d\s()/-]{3,20}$/, ['phone']],
  [/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i, ['id']],
  [/^(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|CNY|INR)$/, ['currency']],
  [/^(?:de|en|fr|es|it|nl|pt|pl|da|sv|fi|cs)$/, ['language']],
  [/^(?:DE|FR|ES|IT|NL|PT|PL|DK|SE|FI|CZ|AT|CH|BE|GB|UK|US|CA|IE|NO|LU)$/, ['country']],
  [/^[A-HJ-NPR-Z0-9]{17}$/, ['vehicle']],
  [/^(?:\d{8}|\d{12,14})$/, ['gtin']],
  [/^-?\d{1,2}\.\d+\s*,\s*-?\d{1,3}\.\d+$/, ['location']],
  [/^(?:24\/7|(?:mo|tu|we|th|fr|sa|su)\b.*\d{1,2}:\d\d)/i, ['opening', 'hour']],
  [/^\p{L}.*\s\d+\w?,\s*\p{L}+|^\d+\s(?:rue|quai|place|avenue|street|road)\b/iu, ['address']],
];
const NUMBER = /^[+-]?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.{0,30})?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Reads the first 200 values, and 200 characters of each; those without a value do not count. */
export function profileOf(values: readonly unknown[]): Profile {
  const texts = values
    .slice(0, MOST_VALUES)
    .filter((value) => value !== null && value !== undefined && value !== '')
    .map((value) => (typeof value === 'object' ? '' : String(value).slice(0, MOST_LENGTH)))
    .filter((text) => text !== '');
  const distinct = [...new Set(texts)];
  const family = familyOfTexts(distinct);
  return {
    distinct: distinct.length,
    texts: new Set(distinct.map(plain)),
    tokens: new Set(family === undefined ? distinct.flatMap(tokensOf) : []),
    kinds: distinct.length === 0 ? [] : (KINDS.find(([form]) => distinct.every((text) => form.test(text)))?.[1] ?? []),
    family,
    quantiles: family === 'number' ? quantilesOf(distinct.map(Number)) : undefined,
  };
}

function tokensOf(text: string): string[] {
  return plain(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token.length > 1);
}

function familyOfTexts(texts: readonly string[]): Family | undefined {
  if (texts.length === 0) return undefined;
  const all = (form: RegExp) => texts.every((text) => form.test(text));
  if (all(NUMBER)) return 'number';
  if (all(TIME)) return 'time';
  return all(BOOLEAN) ? 'boolean' : undefined;
}

function quantilesOf(numbers: readonly number[]): number[] {
  const sorted = [...numbers].sort((a, b) => a - b);
  return [0, 0.25, 0.5, 0.75, 1].map((share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0);
}
