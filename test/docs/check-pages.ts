import type { Test } from 'tap';
import { isOutput } from './blocks.ts';
import { type DevPlatform, startDevPlatform } from './dev-platform.ts';
import { normalised, showsSame } from './normalise.ts';
import type { Page } from './page.ts';
import { runPages } from './run-pages.ts';

/**
 * Starts the development server as README.md says, runs the blocks of `pages` in it, and compares what they print with
 * what the pages show. The server goes with the test.
 */
export async function checkPages(t: Test, root: string, pages: readonly Page[]): Promise<DevPlatform> {
  const platform = await startDevPlatform(root);
  t.teardown(() => platform.stop());
  const readme = pages.find(({ file }) => file === 'README.md');
  const start = readme?.blocks.find(isOutput)?.text ?? '';
  t.ok(showsSame(start, platform.said.stderr), 'npm start prints what README.md shows', {
    shown: normalised(start),
    printed: normalised(platform.said.stderr),
  });
  for (const { file, blocks, outputs, faults } of await runPages(pages, platform, (line) => t.comment(line))) {
    t.strictSame(faults, [], `${file}: ${blocks}, ${outputs} shown`);
    t.ok(blocks > 0, `${file} has blocks that were run`);
  }
  return platform;
}
