import { type MatchColumn, type ReadColumn, readColumns } from './column.ts';
import { familySimilarity } from './family.ts';
import { nameSimilarity } from './names.ts';
import { valueSimilarity } from './values.ts';
import { EXPANSIONS, GROUPS } from './words/thesaurus.ts';
import { knownWords } from './words/words.ts';

export type { MatchColumn };

/** How far each kind of evidence goes, from 0 to 1; `values` is null where there is nothing to compare. */
export interface MatchReasons {
  name: number;
  type: number;
  values: number | null;
}

export interface Alternative {
  /** Name of the target column. */
  target: string;
  /** Place of the target column in the list. */
  index: number;
  /** From 0 to 1; the same whichever side is the source. */
  score: number;
  /** `sure`: good enough to be filled in for a person to see; `review`: a person chooses. */
  confidence: 'sure' | 'review';
  reasons: MatchReasons;
}

export interface ColumnMatch {
  source: string;
  /** The best first; empty when nothing is alike. */
  alternatives: Alternative[];
}

interface Pair {
  source: number;
  target: number;
  score: number;
  reasons: MatchReasons;
}

/** Weights fixed on the even pairs of `bench/matcher`. */
const WEIGHTS = { values: 0.35, type: 0.1, rival: 0.8 };
/** What values count for that agree where names do not. */
const ALONE = 0.7;
const SURE = { score: 0.7, name: 0.6, margin: 0.1 };
const DIGITS = 1_000;

/** For each source column the target columns that may mean the same, best first. Takes time by the product of both lists. */
export function matchColumns(
  sources: readonly MatchColumn[],
  targets: readonly MatchColumn[],
  { topK = 3 }: { topK?: number } = {},
): ColumnMatch[] {
  const [left, right] = [readColumns(sources, wordsOfOthers(targets)), readColumns(targets, wordsOfOthers(sources))];
  const rows = scorePairs(left, right);
  const best = right.map((_, target) => Math.max(0, ...rows.map((row) => row[target]?.score ?? 0)));
  return left.map(({ name }, at) => {
    const ranked = (rows[at] ?? [])
      .filter(({ score }) => score > 0)
      .map((pair) => ({ pair, rank: pair.score - WEIGHTS.rival * ((best[pair.target] ?? 0) - pair.score) }))
      .sort((a, b) => b.rank - a.rank || a.pair.target - b.pair.target);
    return {
      source: name,
      alternatives: ranked.slice(0, topK).map(({ pair }, place) => alternative(pair, place, ranked, best, right)),
    };
  });
}

/** What the words of one side may be compounds of: words of the other side, and those that have a meaning of their own. */
function wordsOfOthers(columns: readonly MatchColumn[]): Set<string> {
  return new Set([...EXPANSIONS.keys(), ...GROUPS.keys(), ...knownWords(columns.map(({ name }) => name))]);
}

function alternative(
  { target, score, reasons }: Pair,
  place: number,
  ranked: readonly { rank: number }[],
  best: readonly number[],
  targets: readonly ReadColumn[],
): Alternative {
  const margin = (ranked[0]?.rank ?? 0) - (ranked[1]?.rank ?? 0);
  const isSure =
    place === 0 &&
    score >= SURE.score &&
    reasons.name >= SURE.name &&
    margin >= SURE.margin &&
    score >= (best[target] ?? 0);
  return {
    target: targets[target]?.name ?? '',
    index: target,
    score: rounded(score),
    confidence: isSure ? 'sure' : 'review',
    reasons: {
      name: rounded(reasons.name),
      type: rounded(reasons.type),
      values: reasons.values === null ? null : rounded(reasons.values),
    },
  };
}

function scorePairs(left: readonly ReadColumn[], right: readonly ReadColumn[]): Pair[][] {
  const likeName = nameSimilarity([...left, ...right]);
  return left.map((a, source) =>
    right.map((b, target) => {
      const reasons = {
        name: likeName(a, b),
        type: familySimilarity(a.family, b.family),
        values: valueSimilarity(a, b) ?? null,
      };
      return { source, target, score: scoreOf(reasons), reasons };
    }),
  );
}

/** A type counts against a pair, never for it. */
function scoreOf({ name, type, values }: MatchReasons): number {
  const both = name * (1 - WEIGHTS.values) + (values ?? 0) * WEIGHTS.values;
  const said = values === null ? name : Math.max(both, values * ALONE);
  return said * (1 - WEIGHTS.type * (1 - type));
}

function rounded(value: number): number {
  return Math.round(value * DIGITS) / DIGITS;
}
