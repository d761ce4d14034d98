import { rm } from 'node:fs/promises';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { allCells, allRounds, ELSEWHERE, fitTogether, MATRICES, MODES, SHORT, unreachable } from '../crash/cells.ts';
import { runCells } from '../crash/run-cells.ts';

/** The points of a run: S1 to S14. */
const POINTS = Array.from({ length: 14 }, (_, at) => `S${at + 1}`);

t.test('the fixed list has every point, every process and every write mode, and no cell twice', async (t) => {
  for (const matrix of [...MATRICES, SHORT]) {
    const cells = matrix.fixed.flat();
    t.equal(new Set(cells.map((cell) => JSON.stringify(cell))).size, cells.length);
    t.strictSame(cells.filter(unreachable), []);
    const apart = [...matrix.fixed, ...allRounds(matrix)].filter((round) => !fitTogether(round));
    t.strictSame(apart, [], 'the cells of a round leave each other what they need to come to their points');
    if (cells.length === 0) continue;
    const targets = cells.map(({ target }) => target);
    const points = cells.map(({ point }) => point);
    t.strictSame(missing(matrix.targets, targets), []);
    t.strictSame(matrix.warehouse === 's3' ? [] : missing(matrix.points, points), []);
    // What a connector runs in changes nothing of how the tables of a shared state are committed.
    const modes = matrix.contained ? MODES.filter((mode) => mode !== 'shared') : MODES;
    t.strictSame([...new Set(cells.map(({ mode }) => mode))].sort(), [...modes].sort());
  }
  const reachable = MATRICES.map((matrix) => allCells(matrix).filter((cell) => unreachable(cell) === undefined).length);
  t.strictSame(reachable, [204, 44, 68, 48], 'so many cells can be reached');
});

t.test('every process is killed at every point of a run, or it is said why not', async (t) => {
  const matrices = MATRICES.flatMap(crossings);
  const wanted = crossings({ targets: MATRICES.flatMap(({ targets }) => targets), points: POINTS });
  t.strictSame(missing(wanted, [...matrices, ...ELSEWHERE.flatMap(crossings)]), []);
  const both = ELSEWHERE.flatMap(crossings).filter((one) => matrices.includes(one));
  t.strictSame(both, [], 'what a matrix has is not said to be elsewhere');
  const fixed = MATRICES.flatMap((matrix) => matrix.fixed.flat());
  const targets = fixed.map(({ target }) => target);
  const points = fixed.map(({ point }) => point);
  for (const matrix of MATRICES.filter((one) => one.fixed.length === 0)) {
    t.strictSame(missing(matrix.targets, targets), [], 'what the soak alone runs has no process of its own');
    t.strictSame(missing(matrix.points, points), [], 'and no point of its own');
  }
});

function missing(all: readonly string[], found: readonly string[]): string[] {
  return all.filter((one) => !found.includes(one));
}

/** Each process at each point. */
function crossings({ targets, points }: { targets: readonly string[]; points: readonly string[] }): string[] {
  return targets.flatMap((target) => points.map((point) => `${target} ${point}`));
}

const folder = await serverFolder('weir-crash-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
t.test('each process killed once in mid-sync → no row is lost or doubled', async (t) => {
  await runCells(t, folder, SHORT, SHORT.fixed);
});
