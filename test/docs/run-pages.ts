import { wantedExit } from './blocks.ts';
import type { DevPlatform } from './dev-platform.ts';
import type { Page } from './page.ts';
import { type PageRun, runPage } from './run-page.ts';

/** As the first tutorial and the reference of the commands let their reader do once. */
export const ALIAS = 'alias weir="node $PWD/cli/bin/weir.mjs"';

/** Pages with something to run: tutorials first, since others go on from what they leave; then by name. */
export function runnable(pages: readonly Page[]): Page[] {
  const rank = ({ file }: Page) => (file === 'README.md' ? 0 : file.startsWith('docs/tutorials/') ? 1 : 2);
  return pages
    .filter(({ blocks }) => blocks.some((block) => wantedExit(block) !== undefined))
    .sort((a, b) => rank(a) - rank(b) || (a.file < b.file ? -1 : 1));
}

/** Runs one page in a terminal of its own, which knows `weir`. */
export async function runInTerminal(page: Page, platform: DevPlatform): Promise<PageRun> {
  const shell = await platform.shell();
  try {
    await shell.run(ALIAS);
    return await runPage(page, shell, platform.places);
  } finally {
    await shell.end();
  }
}

/**
 * Runs the `sh call` lines of the API reference, which change nothing, and names those that are answered with an error.
 * The first block of the page sets address, tenant and token; `idsFor` gives the other names of a line their values.
 */
export async function runCalls(
  page: Page,
  platform: DevPlatform,
  idsFor: (line: string) => Readonly<Record<string, string>>,
): Promise<PageRun> {
  const shell = await platform.shell();
  const run: PageRun = { blocks: 0, outputs: 0, faults: [] };
  try {
    await shell.run(ALIAS);
    await shell.run(`curl() { command curl --max-time 20 -o /dev/null -w '%{http_code}' "$@"; }`);
    for (const { lang, info, text, line } of page.blocks) {
      if (lang !== 'sh' || info !== 'call') continue;
      run.blocks += 1;
      const ids = Object.entries(idsFor(text)).map(([name, value]) => `${name}='${value}'`);
      const { output, code } = await shell.run(`${ids.join('\n')}\n${text}`);
      if (code !== 0 || !/^(2\d\d)?$/.test(output.trim()))
        run.faults.push(`${page.file}:${line}: ${output.trim()}\n${text}`);
    }
  } finally {
    await shell.end();
  }
  return run;
}
