import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where checks keep their clean results; `npm ci` removes it. */
export const cacheFolder = (root: string): string => path.join(root, 'node_modules', '.cache', 'weir-check');

/** What a check stored under this name; undefined when there is none, or it cannot be read. */
export async function readCached<T>(root: string, name: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path.join(cacheFolder(root), `${name}.json`), 'utf8')) as T;
  } catch {
    return undefined;
  }
}

export async function writeCached(root: string, name: string, value: unknown): Promise<void> {
  const file = path.join(cacheFolder(root), `${name}.json`);
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(value));
  await rename(draft, file);
}

/** Does the work unless it was clean for the same key before. A fault is never stored, so it is found again. */
export async function unlessClean(
  root: string,
  name: string,
  key: string,
  work: () => Promise<string>,
): Promise<string> {
  const known = await readCached<{ key: string; word: string }>(root, name);
  if (known?.key === key) return `${known.word}, unchanged`;
  const word = await work();
  await writeCached(root, name, { key, word });
  return word;
}
