import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { allCells, allRounds, unreachable } from './cells.ts';
import { runCells } from './run-cells.ts';

/** Far beyond what it takes; only a hang reaches it. */
const HANG_LIMIT_MS = 6 * 3_600_000;
t.setTimeout(HANG_LIMIT_MS);

/** Every cell of the crash matrix that can be reached, of all processes or of those that the arguments name. */
t.test('no row is lost or doubled, whoever is killed wherever', async (t) => {
  const targets = process.argv.slice(2);
  for (const cell of allCells()) {
    const why = unreachable(cell);
    if (why !== undefined) t.comment(`${cell.point} ${cell.target} ${cell.mode} cannot be: ${why}`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'weir-crash-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const rounds = allRounds().filter(({ target }) => targets.length === 0 || targets.includes(target));
  await runCells(t, folder, rounds);
});
