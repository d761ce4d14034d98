import { mergeFacts, NONE, TEXT, type ValueFacts } from './columns/value-facts.ts';

/** What the values of each member have in common, in the order in which the members first came. */
export type SeenFacts = Map<string, ValueFacts>;

const WHOLE = /^(?:0|-?[1-9][0-9]*)$/;
const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;

/**
 * Notes the values of a document's members, which is read from `text`. Numbers are doubles, or `JSON.rawJSON` of those that
 * no double carries.
 */
export function noteFacts(seen: SeenFacts, document: Readonly<Record<string, unknown>>, text: string): void {
  const names = Object.keys(document);
  const moved = names.some((name) => MOVED_NAME.test(name) && !seen.has(name));
  for (const name of moved ? writtenNames(text) : names) {
    const before = seen.get(name) ?? NONE;
    seen.set(name, before.kind === 'text' ? before : mergeFacts(before, factsOf(document[name])));
  }
}

/** A name that an object of JavaScript has in front of others, wherever it is written. */
const MOVED_NAME = /^(?:0|[1-9][0-9]*)$/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** The names of an object's members as its JSON text has them, each once. */
function writtenNames(text: string): Set<string> {
  const names = new Set<string>();
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':' && depth === 1) names.add(String(JSON.parse(last)));
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    last = token;
  }
  return names;
}

/** The text of a number in its document; undefined for anything else. */
export function numeral(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const raw = (value as { rawJSON?: unknown } | null)?.rawJSON;
  return typeof raw === 'string' && isRawJson(value) ? raw : undefined;
}

const isRawJson = (value: unknown) => (JSON as typeof JSON & { isRawJSON(value: unknown): boolean }).isRawJSON(value);

function factsOf(value: unknown): ValueFacts {
  if (value === null) return NONE;
  if (typeof value === 'boolean') return { kind: 'boolean', spelling: 'true' };
  if (typeof value === 'string') return TEXT;
  const number = numeral(value);
  if (number === undefined) return { kind: Array.isArray(value) ? 'list' : 'object' };
  return numberFacts(number);
}

/** What a number of JSON is; there, other than in a text, an exponent is always one. */
function numberFacts(number: string): ValueFacts {
  const isLong = WHOLE.test(number) && BigInt(number) >= LEAST_LONG && BigInt(number) <= MOST_LONG;
  const hasExponent = /[eE]/.test(number);
  const [whole = '', fraction = ''] = number.replace('-', '').split('.');
  return {
    kind: 'number',
    isWhole: isLong,
    hasPoint: !WHOLE.test(number),
    hasExponent,
    isExact: isLong ? Number.isSafeInteger(Number(number)) : digitsOf(number) === digitsOf(String(Number(number))),
    whole: hasExponent ? 0 : whole.length,
    scale: hasExponent ? 0 : fraction.length,
  };
}

/** The digits of a number but for zeros at its ends. */
const digitsOf = (number: string) => number.replaceAll(/[eE].*|[.-]/g, '').replaceAll(/^0+|0+$/g, '');
