import { rm } from 'node:fs/promises';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { allCells, allRounds, fitTogether, MATRICES, MODES, unreachable } from '../crash/cells.ts';
import { runCells } from '../crash/run-cells.ts';

/** Far beyond what it takes; only a hang reaches it. */
const HANG_LIMIT_MS = 900_000;
t.setTimeout(HANG_LIMIT_MS);
// A platform mostly waits for the time after which a dead worker is noticed.
t.jobs = 2;

t.test('the fixed list has every point, every process and every write mode, and no cell twice', async (t) => {
  for (const matrix of MATRICES) {
    const cells = matrix.fixed.flat();
    const missing = (all: readonly string[], found: readonly string[]) => all.filter((one) => !found.includes(one));
    const targets = cells.map(({ target }) => target);
    const points = cells.map(({ point }) => point);
    t.equal(new Set(cells.map((cell) => JSON.stringify(cell))).size, cells.length);
    t.strictSame(missing(matrix.targets, targets), []);
    t.strictSame(matrix.warehouse === 's3' ? [] : missing(matrix.points, points), []);
    t.strictSame(cells.filter(unreachable), []);
    const apart = [...matrix.fixed, ...allRounds(matrix)].filter((round) => !fitTogether(round));
    t.strictSame(apart, [], 'the cells of a round leave each other what they need to come to their points');
    // What a connector runs in changes nothing of how the tables of a shared state are committed.
    const modes = matrix.contained ? MODES.filter((mode) => mode !== 'shared') : MODES;
    t.strictSame([...new Set(cells.map(({ mode }) => mode))].sort(), [...modes].sort());
  }
  const reachable = MATRICES.map((matrix) => allCells(matrix).filter((cell) => unreachable(cell) === undefined).length);
  t.strictSame(reachable, [204, 44, 68], 'so many cells can be reached');
});

const only = process.env.WEIR_TEST_CRASH_TARGET;
const folder = await serverFolder('weir-crash-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
for (const matrix of MATRICES) {
  const rounds = matrix.fixed.filter((round) => only === undefined || round.some(({ target }) => target === only));
  if (rounds.length === 0) continue;
  t.test(`no row is lost or doubled, whoever is killed wherever: ${matrix.name}`, { buffered: true }, async (t) => {
    await runCells(t, folder, matrix, rounds);
  });
}
