import { join } from 'node:path';
import { warehouseFaults } from '../warehouse-files.ts';
import { cellSources } from './cell-source.ts';
import type { Cell, Matrix, Round } from './cells.ts';
import { crashPlatform } from './crash-platform.ts';
import { judgeRows, type Row } from './judge-rows.ts';
import { readRows } from './read-rows.ts';
import { type CellOutcome, runRound } from './run-round.ts';

/** Rounds after which the tables of all of them are read, by one program. */
const ROUNDS_READ_TOGETHER = 6;

/** The part of a tap test that is needed here. */
interface Test {
  teardown(work: () => unknown): void;
  comment(text: string): void;
  plan(count: number, reason: string): unknown;
  strictSame(found: unknown, wanted: unknown, name: string): unknown;
}

/**
 * Runs rounds of a matrix one after the other on a platform of their own; the most seconds that a run took to end after the
 * recovery. Undefined, and the test is skipped, where this machine cannot have such a platform.
 */
export async function runCells(
  t: Test,
  folder: string,
  matrix: Matrix,
  rounds: readonly Round[],
): Promise<number | undefined> {
  const platform = await crashPlatform(t, join(folder, matrix.name.replaceAll(' ', '-')), matrix);
  if (typeof platform === 'string') {
    t.plan(0, platform);
    return undefined;
  }
  let slowest = 0;
  const sources = cellSources(platform);
  for (let from = 0; from < rounds.length; from += ROUNDS_READ_TOGETHER) {
    const outcomes: CellOutcome[] = [];
    for (const round of rounds.slice(from, from + ROUNDS_READ_TOGETHER)) {
      const begun = performance.now();
      const ended = await runRound(platform, sources, round);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      t.comment(`a round of ${ended.length} cells took ${seconds} s`);
      for (const one of ended)
        t.comment(`${nameOf(one.cell)}: the run ${one.run} ${one.seconds.toFixed(1)} s after the recovery`);
      slowest = Math.max(slowest, ...ended.map(({ seconds }) => seconds));
      outcomes.push(...ended);
    }
    const locations = [
      ...new Set(
        outcomes.flatMap(({ moments }) => moments.flatMap(({ tables }) => tables.map(({ location }) => location))),
      ),
    ];
    const rows = await readRows<Row>({ locations, fields: ['id', 'key', 'generation'], properties: platform.s3 });
    for (const one of outcomes) t.strictSame([...one.faults, ...judge(one, rows)], [], nameOf(one.cell));
  }
  const faults = await warehouseFaults(platform.peek, platform.warehouse);
  t.strictSame(faults, { unnamed: [], absent: [] }, 'each file is in a snapshot or in the ledger');
  return slowest;
}

const nameOf = ({ target, point, mode }: Cell) => `kill -9 of ${target} at ${point}, ${mode}`;

/** What is wrong with the rows of a cell's tables, as they were at each of its moments. */
function judge({ cell, source, generation, moments }: CellOutcome, rows: Record<string, readonly Row[]>): string[] {
  return moments.flatMap(({ when, tables }) => {
    const whole = when === 'finished' ? [generation] : [generation - 1, generation];
    const generations = Object.fromEntries(whole.map((one) => [one, source.rowsOf(one)]));
    const faults = tables.flatMap(({ location, at }) =>
      judgeRows(rows[location] ?? [], { mode: cell.mode, at, generations }),
    );
    const places = new Set(tables.map(({ at }) => at));
    const apart = places.size > 1 ? [`tables with one state stand at ${[...places].join(' and ')}`] : [];
    return [...faults, ...apart].map((fault) => `${when}: ${fault}`);
  });
}
