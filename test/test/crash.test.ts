import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { allCells, FIXED_ROUNDS, MODES, POINTS, TARGETS, unreachable } from '../crash/cells.ts';
import { runCells } from '../crash/run-cells.ts';

/** Far beyond what it takes; only a hang reaches it. */
const HANG_LIMIT_MS = 900_000;
t.setTimeout(HANG_LIMIT_MS);

t.test('the fixed list has every point, every process and every write mode, and no cell twice', async (t) => {
  const cells = FIXED_ROUNDS.flatMap((round) => round.cells);
  t.equal(cells.length, 24);
  t.equal(new Set(cells.map((cell) => JSON.stringify(cell))).size, 24);
  const missing = (all: readonly string[], found: readonly string[]) => all.filter((one) => !found.includes(one));
  t.strictSame(
    missing(
      TARGETS,
      cells.map(({ target }) => target),
    ),
    [],
  );
  t.strictSame(
    missing(
      POINTS,
      cells.map(({ point }) => point),
    ),
    [],
  );
  t.strictSame(
    missing(
      MODES,
      cells.map(({ mode }) => mode),
    ),
    [],
  );
  t.strictSame(cells.filter(unreachable), []);
  const never = allCells().filter(unreachable).length;
  t.equal(allCells().length - never, 186, 'so many cells can be reached');
});

t.test('no row is lost or doubled, whoever is killed wherever', async (t) => {
  const only = process.env.WEIR_TEST_CRASH_TARGET;
  const rounds = FIXED_ROUNDS.filter(({ target }) => only === undefined || target === only);
  const folder = await mkdtemp(join(tmpdir(), 'weir-crash-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await runCells(t, folder, rounds);
});
