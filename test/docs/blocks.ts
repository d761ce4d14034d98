import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Block, Page } from './page.ts';

/**
 * What the first line of a fenced block may say behind its language:
 * `sh run` is executed, with `exit N` when it is to fail; `text output` shows what the block before it printed;
 * `<lang> from <file>` is a passage of that file; `sh call` is a line of the API reference; `text` alone is a drawing
 * or a shape; all else must say why it is not run.
 */
const RUN = /^run(?: exit (\d+))?$/;
const FROM = /^from (\S+)$/;
const REASON = /^not run: \S.{9,}$/;

/** The exit code that a block to be run must end with; undefined for a block that is not run. */
export function wantedExit({ lang, info }: Block): number | undefined {
  const [found, code = '0'] = (lang === 'sh' && RUN.exec(info)) || [];
  return found === undefined ? undefined : Number(code);
}

/** Whether a block shows what the block before it printed. */
export const isOutput = ({ lang, info }: Block): boolean => lang === 'text' && info === 'output';

/** Blocks that are neither run, nor checked, nor explained, and passages that their file does not hold. */
export async function blockFaults(root: string, { file, blocks }: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [i, block] of blocks.entries()) {
    const fault = await blockFault(root, block, blocks[i - 1]);
    if (fault !== undefined) faults.push(`${file}:${block.line}: ${fault}`);
  }
  return faults;
}

async function blockFault(root: string, block: Block, before: Block | undefined): Promise<string | undefined> {
  const { lang, info, text } = block;
  if (isOutput(block)) {
    const shown = before !== undefined && (wantedExit(before) !== undefined || REASON.test(before.info));
    return shown ? undefined : 'an output stands behind no command';
  }
  const [, source] = FROM.exec(info) ?? [];
  if (source !== undefined) {
    const whole = await readFile(path.join(root, source), 'utf8').catch(() => '');
    return whole.includes(text) ? undefined : `${source} does not hold this passage`;
  }
  const settled = wantedExit(block) !== undefined || (lang === 'sh' && info === 'call') || REASON.test(info);
  return settled || (lang === 'text' && info === '') ? undefined : 'the block is not run and does not say why';
}
