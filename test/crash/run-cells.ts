import { join } from 'node:path';
import type { Round } from './cells.ts';
import { type CrashPlatform, crashPlatform } from './crash-platform.ts';
import { runRound } from './run-round.ts';

/** The part of a tap test that is needed here. */
interface Test {
  teardown(work: () => unknown): void;
  comment(text: string): void;
  strictSame(found: unknown, wanted: unknown, name: string): unknown;
  test(name: string, work: (t: Test) => Promise<void>): Promise<unknown>;
}

/** Runs rounds one after the other; those that kill the object store on a platform whose tables lie in one. */
export async function runCells(t: Test, folder: string, rounds: readonly Round[]): Promise<void> {
  for (const warehouse of ['folder', 's3'] as const) {
    const own = rounds.filter(({ target }) => (target === 'store') === (warehouse === 's3'));
    if (own.length === 0) continue;
    await t.test(`tables in ${warehouse === 's3' ? 'an object store' : 'a folder'}`, async (t) => {
      const platform = await crashPlatform(t, join(folder, warehouse), warehouse);
      for (const round of own) await t.test(`kill -9: ${round.target}`, (t) => proveRound(t, platform, round));
    });
  }
}

async function proveRound(t: Test, platform: CrashPlatform, round: Round): Promise<void> {
  for (const { cell, run, seconds, faults } of await runRound(platform, round)) {
    t.comment(`${cell.point} ${cell.target} ${cell.mode}: the run ${run} ${seconds.toFixed(1)} s after the recovery`);
    t.strictSame(faults, [], `${cell.point} ${cell.mode}`);
  }
}
