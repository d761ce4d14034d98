import { rm } from 'node:fs/promises';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { MATRICES } from '../crash/cells.ts';
import { runCells } from '../crash/run-cells.ts';

// A platform mostly waits for the time after which a dead worker is noticed.
t.jobs = 2;

/** Runs only the rounds that kill this process. */
const only = process.env.WEIR_TEST_CRASH_TARGET;
const folder = await serverFolder('weir-crash-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
for (const matrix of MATRICES) {
  const rounds = matrix.fixed.filter((round) => only === undefined || round.some(({ target }) => target === only));
  if (rounds.length === 0) continue;
  t.test(
    `any process killed at any point → no row is lost or doubled: ${matrix.name}`,
    { buffered: true },
    async (t) => {
      await runCells(t, folder, matrix, rounds);
    },
  );
}
