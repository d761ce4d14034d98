import { type ColumnMatch, matchColumns } from '@weir/matcher';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { median } from '../measure/paired.ts';
import { likeNames } from './like-names.ts';
import { readPairs, type TablePair, WIDE } from './pairs.ts';

type Matcher = (pair: TablePair) => string[][];

const [LEAST_MRR, LEAST_LEAD] = [0.85, 0.1];
const ROUNDS = 5;
const WIDE_SOURCES = 40;
const MOST_MS = 1_000;
const ALL = 1_000_000;

/** How well columns are matched on pairs that the weights have not seen, beside plain similarity of names, and how fast. */
export async function matcher({ quick, only }: BenchOptions): Promise<BenchResult> {
  const pairs = await readPairs();
  const [fit, report] = [
    pairs.filter(({ number }) => number % 2 === 0),
    pairs.filter(({ number }) => number % 2 === 1),
  ];
  if (only === 'misses') for (const pair of fit) printMisses(pair);
  const kinds = [...new Set(report.map(({ how }) => how))].sort();
  const cases = [
    found('reported half', report, [
      { figure: 'mrr', least: LEAST_MRR },
      { figure: 'lead', least: LEAST_LEAD },
    ]),
    found('half that fixed the weights', fit, []),
    ...kinds.map((how) =>
      found(
        `reported half, ${how}`,
        report.filter((pair) => pair.how === how),
        [],
      ),
    ),
    timed(pairs, quick ? 1 : ROUNDS),
  ];
  return { suite: 'matcher', cases };
}

function found(name: string, pairs: readonly TablePair[], bars: BenchCase['bars'] & object): BenchCase {
  const [mrr, plain] = [meanRank(pairs, ours), meanRank(pairs, likeNames)];
  const sure = pairs.flatMap(sureOnes);
  const columns = pairs.flatMap(({ truth }) => truth).filter(({ length }) => length > 0).length;
  const [right, share] = [sure.filter(Boolean).length / sure.length, sure.length / columns];
  const figures = [
    `${pairs.length} pairs with ${columns} columns that have an answer`,
    `mean reciprocal rank of the first right target, as the mean over pairs, ${mrr.toFixed(3)}, of plain similarity of names ${plain.toFixed(3)}`,
    sure.length === 0
      ? 'nothing is called sure'
      : `${(share * 100).toFixed(0)} % are called sure, ${(right * 100).toFixed(1)} % of them are right`,
  ];
  return {
    case: name,
    mrr,
    lead: mrr - plain,
    note: `${figures.join('; ')}.`,
    bars,
  };
}

function ours({ sources, targets }: TablePair): string[][] {
  return matchColumns(sources, targets, { topK: ALL }).map(({ alternatives }) =>
    alternatives.map(({ target }) => target),
  );
}

/** The mean over pairs of the mean of 1 / place of the first right target, 0 where it is not among them. */
function meanRank(pairs: readonly TablePair[], matched: Matcher): number {
  return mean(
    pairs.map((pair) => {
      const rows = matched(pair);
      return mean(pair.truth.flatMap((right, at) => (right.length === 0 ? [] : [reciprocal(rows[at] ?? [], right)])));
    }),
  );
}

function reciprocal(ranked: readonly string[], right: readonly string[]): number {
  const place = ranked.findIndex((name) => right.includes(name));
  return place < 0 ? 0 : 1 / (place + 1);
}

/** Of each match that is called sure whether it is right; one for a column without an answer is wrong. */
function sureOnes({ sources, targets, truth }: TablePair): boolean[] {
  return matchColumns(sources, targets, { topK: 1 }).flatMap(({ alternatives: [first] }, at) =>
    first?.confidence === 'sure' ? [truth[at]?.includes(first.target) ?? false] : [],
  );
}

function timed(pairs: readonly TablePair[], rounds: number): BenchCase {
  const wide = pairs.find(({ target, sources }) => target === WIDE && sources.length === WIDE_SOURCES);
  if (!wide) throw new Error(`No pair has ${WIDE_SOURCES} columns and the wide target`);
  const times = Array.from({ length: rounds }, () => {
    const began = performance.now();
    matchColumns(wide.sources, wide.targets);
    return performance.now() - began;
  });
  return {
    case: `${wide.sources.length} × ${wide.targets.length} columns`,
    marks_ms: { match: median(times) },
    runs: rounds,
    note: 'One call of the widest pair.',
    bars: [{ figure: 'match', most: MOST_MS }],
  };
}

function printMisses({ number, target, sources, targets, truth }: TablePair): void {
  const rows = matchColumns(sources, targets, { topK: ALL });
  for (const [at, { source, alternatives }] of rows.entries()) {
    const right = truth[at] ?? [];
    const place = alternatives.findIndex((one) => right.includes(one.target));
    if (right.length === 0 || place === 0) continue;
    process.stderr.write(
      `${number} ${target}: ${source} → ${right} is ${place + 1}. ${shown({ source, alternatives }, place)}\n`,
    );
  }
}

function shown({ alternatives }: ColumnMatch, place: number): string {
  const text = [...alternatives.slice(0, 2), ...alternatives.slice(place, place + 1)].map(
    ({ target, score, reasons }) => `${target} ${score} (${reasons.name} ${reasons.type} ${reasons.values})`,
  );
  return text.join(', ');
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
