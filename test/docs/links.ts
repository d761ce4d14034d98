import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Page, readPage } from './page.ts';

const PAGES = ['*.md', 'docs/**/*.md', '{plugins,connectors}/*/README.md', 'plugin-template/*.md'];

/** Every page of the checkout below `root`; throws when there is none, as then nothing would be checked. */
export async function readPages(root: string): Promise<Page[]> {
  const exclude = (name: string) => name.includes('node_modules');
  const files = (await Array.fromAsync(glob(PAGES, { cwd: root, exclude }))).sort();
  if (files.length === 0) throw new Error(`no pages below ${root}`);
  return Promise.all(files.map(async (file) => readPage(file, await readFile(path.join(root, file), 'utf8'))));
}

/**
 * Links that lead nowhere: a file or folder that is not there, an anchor that its page lacks, plain http elsewhere, and a
 * title that the file does not hold, by which a claim names the test that shows it.
 */
export async function brokenLinks(root: string, pages: readonly Page[]): Promise<string[]> {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const faults: string[] = [];
  for (const { file, links } of pages) {
    for (const { target, title, line } of links) {
      const fault = (await linkFault(root, file, target, byFile)) ?? (await titleFault(root, file, target, title));
      if (fault !== undefined) faults.push(`${file}:${line}: ${target} ${fault}`);
    }
  }
  return faults;
}

async function linkFault(
  root: string,
  from: string,
  target: string,
  pages: ReadonlyMap<string, Page>,
): Promise<string | undefined> {
  if (/^[a-z]+:/.test(target)) return target.startsWith('https://') ? undefined : 'is not https';
  const [place = '', anchor] = target.split('#');
  const file = place === '' ? from : path.normalize(path.join(path.dirname(from), place));
  if (file.startsWith('..')) return 'leaves the checkout';
  const found = pages.has(file) || (await stat(path.join(root, file)).catch(() => undefined)) !== undefined;
  if (!found) return 'is not there';
  if (anchor === undefined) return undefined;
  const page = pages.get(file);
  if (page === undefined) return 'has an anchor into something that is no page';
  return page.anchors.has(anchor) ? undefined : 'names no heading';
}

async function titleFault(root: string, from: string, target: string, title: string | undefined) {
  if (title === undefined) return undefined;
  const text = await readFile(path.join(root, path.dirname(from), target), 'utf8');
  return text.includes(title) ? undefined : `does not hold "${title}"`;
}
