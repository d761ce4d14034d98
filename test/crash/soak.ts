import { rm } from 'node:fs/promises';
import { serverFolder } from '@weir/embedded/testing';
import t from 'tap';
import { allCells, allRounds, ELSEWHERE, MATRICES, unreachable } from './cells.ts';
import { runCells } from './run-cells.ts';

/**
 * Every cell of the crash matrices that can be reached: `containers` or `processes`, all processes that are killed or those
 * that the further arguments name.
 */
const [kind, ...targets] = process.argv.slice(2);
const folder = await serverFolder('weir-crash-');
t.teardown(() => rm(folder, { recursive: true, force: true }));
for (const { targets: left, points, why } of ELSEWHERE) {
  t.comment(`${left.join(', ')} at ${points.join(', ')}: in no matrix; ${why}`);
}
for (const matrix of MATRICES.filter(({ contained }) => contained === (kind === 'containers'))) {
  t.test(`no row is lost or doubled, whoever is killed wherever: ${matrix.name}`, async (t) => {
    for (const cell of allCells(matrix)) {
      const why = unreachable(cell);
      if (why !== undefined) t.comment(`${cell.point} ${cell.target} ${cell.mode} cannot be: ${why}`);
    }
    const wanted = ([cell]: { target: string }[] | readonly { target: string }[]) =>
      targets.length === 0 || targets.includes(cell?.target ?? '');
    const rounds = allRounds(matrix).filter(wanted);
    if (rounds.length === 0) return;
    const slowest = await runCells(t, folder, matrix, rounds);
    if (slowest === undefined) return;
    t.comment(`the slowest run ended ${slowest.toFixed(1)} s after its platform was whole again`);
  });
}
