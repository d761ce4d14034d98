import { ALL_FENCES, type Fences } from '../../src/index.ts';
import { simulate } from './simulate.ts';

/** What many worlds came to. */
export interface Exploration {
  readonly worlds: number;
  readonly steps: number;
  /** Seeds whose world broke a promise, and which. */
  readonly violations: readonly { seed: number; violation: string }[];
  /** What was reached in all of them, with how often. */
  readonly coverage: ReadonlyMap<string, number>;
}

/** Lives through the worlds of these seeds, until `most` of them have broken a promise. */
export function explore(
  seeds: Iterable<number>,
  { fences = ALL_FENCES, most = 5 }: { fences?: Fences; most?: number } = {},
): Exploration {
  const coverage = new Map<string, number>();
  const violations: { seed: number; violation: string }[] = [];
  let [worlds, steps] = [0, 0];
  for (const seed of seeds) {
    const end = simulate(seed, fences);
    worlds += 1;
    steps += end.steps;
    for (const [what, count] of end.coverage) coverage.set(what, (coverage.get(what) ?? 0) + count);
    if (end.violation !== undefined) violations.push({ seed, violation: end.violation });
    if (violations.length >= most) break;
  }
  return { worlds, steps, violations, coverage };
}

/** The seeds from one to before another. */
export function* seedsBetween(from: number, to: number): Generator<number> {
  for (let seed = from; seed < to; seed += 1) yield seed;
}

/** Coverage in lines for people, the rarest last. */
export function coverageText(coverage: ReadonlyMap<string, number>): string {
  const rows = [...coverage].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} ${count}`);
  return rows.join(', ');
}
