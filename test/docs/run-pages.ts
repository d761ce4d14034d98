import path from 'node:path';
import { programLine } from '../../cli/src/command/program.ts';
import { wantedExit } from './blocks.ts';
import type { DevPlatform } from './dev-platform.ts';
import type { Page } from './page.ts';
import { type PageRun, runPage } from './run-page.ts';

/** As the first tutorial and the reference of the commands let their reader do once. */
const ALIAS = 'alias weir="node $PWD/cli/bin/weir.mjs"';

const [NODE, LINE] = programLine(path.resolve(import.meta.dirname, '../..'), 'cli/src/main.ts', []);
/** What the launcher starts, without the quarter of the time of a command that it takes itself. */
const WITHOUT_LAUNCHER = `alias weir="${[NODE, ...LINE].map((word) => `'${word}'`).join(' ')}"`;
/** Only the launcher of a reader's checkout knows where that keeps its data. */
const NEEDS_LAUNCHER = /\bweir dev\b/;

/** Pages whose commands run at the same time. */
const LANES = 2;

/**
 * Runs every page that has something to run: the README and the tutorials, then the others, which go on from what those
 * leave, then those that disturb others, one by one. `say` is told of each page: a busy machine takes minutes for one.
 */
export async function runPages(
  pages: readonly Page[],
  platform: DevPlatform,
  say: (line: string) => void,
): Promise<(PageRun & Pick<Page, 'file'>)[]> {
  const own = pages.filter(({ blocks }) => blocks.some((block) => wantedExit(block) !== undefined));
  const stages = [
    { lanes: LANES, pages: own.filter(isFirst) },
    { lanes: LANES, pages: own.filter((page) => !isFirst(page) && !page.alone) },
    { lanes: 1, pages: own.filter(({ alone }) => alone) },
  ];
  const runs: (PageRun & Pick<Page, 'file'>)[] = [];
  for (const stage of stages) {
    const waiting = stage.pages.values();
    const lane = async () => {
      for (const page of waiting) {
        say(page.file);
        runs.push({ file: page.file, ...(await runInTerminal(page, platform)) });
      }
    };
    await Promise.all(Array.from({ length: stage.lanes }, lane));
  }
  return runs;
}

const isFirst = ({ file }: Page) => file === 'README.md' || file.startsWith('docs/tutorials/');

/** Runs one page in a terminal of its own, which knows `weir`. */
async function runInTerminal(page: Page, platform: DevPlatform): Promise<PageRun> {
  const shell = await platform.shell();
  try {
    const launches = isFirst(page) || page.blocks.some(({ text }) => NEEDS_LAUNCHER.test(text));
    await shell.run(launches ? ALIAS : WITHOUT_LAUNCHER);
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
    await shell.run(`curl() { command curl -o /dev/null -w '%{http_code}' "$@"; }`);
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
