import type { ReadColumn } from './column.ts';
import type { Profile } from './profile.ts';

const SHARES = { contained: 0.6, tokens: 0.3, jaccard: 0.1 };
/** The form of the values says what a name says; the name may mean one of several such things. */
const KIND = 0.8;
const LEAST_DISTINCT = 2;

/** How alike the values of two columns are, from 0 to 1; undefined without values on one side, unless their form says what the name says. */
export function valueSimilarity(a: ReadColumn, b: ReadColumn): number | undefined {
  const kind = kindSimilarity(a, b);
  if (a.profile.distinct === 0 || b.profile.distinct === 0) return kind;
  const found =
    a.profile.quantiles && b.profile.quantiles ? overlap(a.profile, b.profile) : shared(a.profile, b.profile);
  return found === undefined ? kind : Math.max(found, kind ?? 0);
}

function kindSimilarity(a: ReadColumn, b: ReadColumn): number | undefined {
  const says = (kinds: readonly string[], words: readonly string[]) => kinds.some((kind) => words.includes(kind));
  if (a.profile.kinds.length === 0 && b.profile.kinds.length === 0) return undefined;
  if (says(a.profile.kinds, b.profile.kinds)) return 1;
  return says(a.profile.kinds, b.words) || says(b.profile.kinds, a.words) ? KIND : undefined;
}

function shared(a: Profile, b: Profile): number {
  const common = count(a.texts, b.texts);
  const contained = common / Math.min(a.texts.size, b.texts.size);
  const tokens =
    a.tokens.size === 0 || b.tokens.size === 0 ? 0 : count(a.tokens, b.tokens) / Math.min(a.tokens.size, b.tokens.size);
  const jaccard = common / (a.texts.size + b.texts.size - common);
  return SHARES.contained * contained + SHARES.tokens * tokens + SHARES.jaccard * jaccard;
}

/** The share of two ranges of numbers that both have; too few numbers say nothing. */
function overlap(
  { quantiles: a = [], ...left }: Profile,
  { quantiles: b = [], ...right }: Profile,
): number | undefined {
  if (Math.min(left.distinct, right.distinct) < LEAST_DISTINCT) return undefined;
  const [lowA = 0, , , , highA = 0] = a;
  const [lowB = 0, , , , highB = 0] = b;
  const whole = Math.max(highA, highB) - Math.min(lowA, lowB);
  return whole === 0 ? 1 : Math.max(0, Math.min(highA, highB) - Math.max(lowA, lowB)) / whole;
}

function count(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let common = 0;
  for (const one of few) if (many.has(one)) common += 1;
  return common;
}
