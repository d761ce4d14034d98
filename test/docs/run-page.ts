import { isOutput, wantedExit } from './blocks.ts';
import { normalised, type Places, showsSame } from './normalise.ts';
import type { Page } from './page.ts';
import type { Shell } from './shell.ts';

/** What was run of a page, and what did not go as the page says. */
export interface PageRun {
  blocks: number;
  outputs: number;
  faults: string[];
}

/** Runs the blocks of a page in order in one shell, and stops at the first that ends in another way than it should. */
export async function runPage({ file, blocks }: Page, shell: Shell, places: Places): Promise<PageRun> {
  const run: PageRun = { blocks: 0, outputs: 0, faults: [] };
  for (const [i, block] of blocks.entries()) {
    const wanted = wantedExit(block);
    if (wanted === undefined) continue;
    run.blocks += 1;
    const { code, output } = await shell.run(block.text);
    if (code !== wanted) {
      run.faults.push(`${file}:${block.line}: exit ${code} instead of ${wanted}\n${output}`);
      return run;
    }
    const shown = blocks[i + 1];
    if (shown === undefined || !isOutput(shown)) continue;
    run.outputs += 1;
    if (showsSame(shown.text, output, places)) continue;
    const [page, printed] = [shown.text, output].map((text) => normalised(text, places));
    run.faults.push(
      `${file}:${shown.line}: the page shows\n${page}\nbut it printed\n${printed}\n\nas it is:\n${output}`,
    );
  }
  return run;
}
