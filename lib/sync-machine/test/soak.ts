import { coverageText, explore, seedsBetween } from './sim/explore.ts';

/** Worlds between two lines of progress. */
const STRIDE = 10_000;

/** Lives through so many worlds; a failing seed is told and makes the exit code 1. */
function main(count: number): void {
  for (let from = 0; from < count; from += STRIDE) {
    const { violations, worlds, steps, coverage } = explore(seedsBetween(from, Math.min(count, from + STRIDE)));
    process.stdout.write(`${from + worlds} worlds, ${steps} steps\n`);
    for (const { seed, violation } of violations) {
      process.stdout.write(`seed ${seed}: ${violation}\n`);
      process.exitCode = 1;
    }
    if (from + STRIDE >= count) process.stdout.write(`${coverageText(coverage)}\n`);
  }
}

main(Number(process.argv[2] ?? STRIDE));
