import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../../cli-error.ts';

const GLOB = /[*?[\]{}]/;
const ENDINGS = /\.(csv|tsv|parquet|jsonl?|ndjson)(\.(gz|zst|zip))?$/i;

/** What a word names: an address, or files of one folder that a glob chooses, all of them one stream when `isOne`. */
export type ToLoad =
  | { kind: 'url'; url: string; name: string }
  | { kind: 'files'; folder: string; glob: string; files: readonly string[]; isOne: boolean; name: string };

/** Reads the word of `weir load`. Throws a usage error when no file is meant. */
export async function whatToLoad(word: string, cwd: string): Promise<ToLoad> {
  if (/^https?:\/\//i.test(word)) {
    if (!URL.canParse(word)) throw new CliError('usage', 'The address is not a URL.');
    return { kind: 'url', url: word, name: sourceName(new URL(word).pathname) };
  }
  const place = path.resolve(cwd, word);
  const facts = await stat(place).catch(() => undefined);
  if (facts?.isDirectory()) return files(place, { glob: '*', isOne: false, name: sourceName(place) });
  if (facts !== undefined) {
    const base = path.basename(place);
    return files(path.dirname(place), {
      glob: base.replace(/[*?[\]{}\\!]/g, '?'),
      isOne: true,
      name: sourceName(base),
      only: base,
    });
  }
  const glob = path.basename(place);
  if (!GLOB.test(glob) || GLOB.test(path.dirname(place))) {
    throw new CliError('usage', `There is no file ${word}.`, {
      hint: 'Name a file, a folder, an address, or a pattern such as "orders-*.csv"',
    });
  }
  return files(path.dirname(place), { glob, isOne: true, name: sourceName(glob) });
}

async function files(
  folder: string,
  { glob, isOne, name, only }: { glob: string; isOne: boolean; name: string; only?: string },
): Promise<ToLoad> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const isMissing = cause.code === 'ENOENT' || cause.code === 'ENOTDIR';
    const what = isMissing ? `There is no folder ${folder}.` : `The folder ${folder} cannot be read.`;
    throw new CliError('usage', what, { hint: 'Check the path', cause });
  });
  const isMeant = (file: string) => (only === undefined ? path.matchesGlob(file, glob) : file === only);
  const found = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && isMeant(entry.name))
    .map((entry) => entry.name)
    .filter((file) => ENDINGS.test(file))
    .sort();
  if (found.length === 0) {
    throw new CliError('usage', 'No file there is CSV, JSON, JSON lines or Parquet.', {
      hint: 'Endings: .csv, .json, .jsonl, .parquet, each also with .gz',
    });
  }
  return { kind: 'files', folder: await realpath(folder), glob, files: found, isOne, name };
}

/** A name of a source made of a file name: its letters, digits and dashes, without endings and what a glob leaves open. */
export function sourceName(file: string): string {
  const stem = path.basename(file).replace(ENDINGS, '');
  const plain = stem
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|[-_]+$/g, '');
  return plain.slice(0, 63) || 'files';
}
