import { rm } from 'node:fs/promises';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { allCells, allRounds, ELSEWHERE, MATRICES, unreachable } from '../crash/cells.ts';
import { runCells } from '../crash/run-cells.ts';

const folder = await serverFolder('weir-crash-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
for (const { targets: left, points, why } of ELSEWHERE) {
  t.comment(`${left.join(', ')} at ${points.join(', ')}: in no matrix; ${why}`);
}
for (const matrix of MATRICES) {
  t.test(`no row is lost or doubled, whoever is killed wherever: ${matrix.name}`, async (t) => {
    for (const cell of allCells(matrix)) {
      const why = unreachable(cell);
      if (why !== undefined) t.comment(`${cell.point} ${cell.target} ${cell.mode} cannot be: ${why}`);
    }
    const rounds = allRounds(matrix);
    if (rounds.length === 0) return;
    const slowest = await runCells(t, folder, matrix, rounds);
    if (slowest === undefined) return;
    t.comment(`the slowest run ended ${slowest.toFixed(1)} s after its platform was whole again`);
  });
}
