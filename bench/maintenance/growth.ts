import path from 'node:path';
import { createRewriter, type TableSchema } from '@weir/lakehouse';
import { previewDataset } from '@weir/plugin-datasets/contract';
import { type CompactionDeps, compactTable } from '../../plugins/datasets/src/rewrite/compact.ts';
import { openMaintenance } from '../../plugins/datasets/src/survey/open-tables.ts';
import { expireTable } from '../../plugins/datasets/src/sweep/expire.ts';
import type { BenchCase } from '../bench-result.ts';
import { appendOf, type Lake, withLake } from '../lake.ts';
import { jsonSchemaOf, LINE_KINDS } from '../lines/line-kinds.ts';
import { percentile } from '../measure/percentile.ts';
import { copiesOf, stagedPeople } from './small-files.ts';

const [APPENDS, QUICK_APPENDS, WINDOW] = [1_000, 120, 50];
const MOST_GROWTH = 1.2;
const ROWS_OF_SYNC = 1_000;
/** A table that needs nothing is looked at once an hour: after so many syncs. */
const SYNCS_OF_ROUND = 12;

/** A table of the people, and rounds of its maintenance. */
async function growing(lake: Lake) {
  const { kernel, tables, producers, tenantOf: acme, folder, run } = lake;
  const ref = tables.bronze(acme, 'people');
  await kernel.db(acme).transaction((tx) => producers.register(tx, { ref, kind: 'source', producerId: acme.tenantId }));
  const prepared = await tables.prepare(acme, ref, jsonSchemaOf(LINE_KINDS.narrow));
  const { dataLocation } = prepared;
  const file = await stagedPeople({ folder, schema: prepared.schema as TableSchema, dataLocation }, ROWS_OF_SYNC);
  const opened = openMaintenance(kernel as Parameters<typeof openMaintenance>[0]);
  const deps: CompactionDeps = {
    ...opened,
    ...{ bytesPerHour: 2 ** 40, patienceMs: 0 },
    async rewrite(request) {
      const rewriter = await createRewriter({ io: opened.io, scratch: path.join(folder, 'rewrite'), threads: 1 });
      try {
        return await rewriter.rewrite(request);
      } finally {
        rewriter.close();
      }
    },
  };
  let batch = 0;
  return {
    /** One sync of a small file; milliseconds of its commit. */
    async append(): Promise<number> {
      batch += 1;
      const files = await copiesOf(file, dataLocation, [`part-${batch}`]);
      const [location = ''] = files.map((one) => one.location);
      await tables.recordStaged(acme, run.runId, [{ ref, location, isFolder: false }]);
      const begun = performance.now();
      await tables.commit(acme, { ...run, tables: [appendOf(ref, files, batch)], checkpoints: [] });
      return performance.now() - begun;
    },
    async maintain(): Promise<void> {
      const { signal } = new AbortController();
      await compactTable(deps, acme, { ref, ...run, signal, log: () => undefined });
      await expireTable(deps, acme, ref);
    },
    close: () => opened.io.close(),
  };
}

/** So many appends of a small file each, with maintenance when it is due: what a commit and a preview take at the end and at the start. */
export async function manyAppends(quick: boolean): Promise<BenchCase> {
  return withLake({}, async (lake) => {
    const table = await growing(lake);
    const { call } = lake.as('acme');
    const params = { dataset_id: 'bronze.acme.people' };
    const [commits, previews]: [number[], number[]] = [[], []];
    const count = quick ? QUICK_APPENDS : APPENDS;
    for (let at = 0; at < count; at += 1) {
      commits.push(await table.append());
      const begun = performance.now();
      const answer = await call(previewDataset, { params, query: { limit: 100 } });
      if (!answer.ok) throw new Error(answer.problem.code);
      previews.push(performance.now() - begun);
      if (at % SYNCS_OF_ROUND === 0) await table.maintain();
    }
    await table.close();
    const p95 = (times: readonly number[]) => percentile(times, 0.95);
    // The first ones fill caches.
    const [first, last] = [[WINDOW, 2 * WINDOW], [-WINDOW]] as const;
    const marks_ms = {
      'commit p95 at the start': p95(commits.slice(...first)),
      'commit p95 at the end': p95(commits.slice(...last)),
      'preview p95 at the start': p95(previews.slice(...first)),
      'preview p95 at the end': p95(previews.slice(...last)),
    };
    const most = (figure: string) => MOST_GROWTH * (marks_ms[`${figure} at the start` as keyof typeof marks_ms] ?? 0);
    return {
      case: 'thousand_appends',
      note: `${count} commits of one file of ${ROWS_OF_SYNC} rows each, with a preview of 100 rows behind each and maintenance between them; ${WINDOW} of each from the fiftieth on, and the last ${WINDOW}. The bars are 1.2 times the start.`,
      marks_ms,
      bars: ['commit p95', 'preview p95'].map((figure) => ({ figure: `${figure} at the end`, most: most(figure) })),
      runs: count,
    };
  });
}
