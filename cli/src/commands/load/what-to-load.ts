import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ENDINGS_HINT, isNeverRead, isReadFile, sourceNameOf, unreadFile } from '@weir/plugin-sources/contract';
import { CliError } from '../../cli-error.ts';

const GLOB = /[*?[\]{}]/;
/** Notes beside the data, which nobody means by a folder. */
const UNCOUNTED = /^[._]/;

/** What a word names: an address, or files of one folder that a glob chooses, all of them one stream when `isOne`. */
export type ToLoad =
  | { kind: 'url'; url: string; name: string }
  | {
      kind: 'files';
      folder: string;
      glob: string;
      files: readonly string[];
      /** What is named or matched too, and no file that can be read. */
      others: readonly string[];
      isOne: boolean;
      name: string;
    };

/**
 * Reads the word of `weir load`. Throws a usage error when no file is meant. With `isWritten` the format is said, and endings
 * say nothing.
 */
export async function whatToLoad(word: string, cwd: string, isWritten = false): Promise<ToLoad> {
  if (/^https?:\/\//i.test(word)) {
    if (!URL.canParse(word)) throw new CliError('usage', 'The address is not a URL.');
    return { kind: 'url', url: word, name: sourceName(new URL(word).pathname) };
  }
  const place = path.resolve(cwd, word);
  const facts = await stat(place).catch(() => undefined);
  if (facts?.isDirectory()) return files(place, { glob: '*', isOne: false, name: sourceName(place), isWritten });
  if (facts !== undefined) {
    const base = path.basename(place);
    return files(path.dirname(place), {
      glob: base.replace(/[*?[\]{}\\!]/g, '?'),
      isOne: true,
      name: sourceName(base),
      only: base,
      isWritten,
    });
  }
  const glob = path.basename(place);
  if (!GLOB.test(glob) || GLOB.test(path.dirname(place))) {
    throw new CliError('usage', `There is no file ${word}.`, {
      hint: 'Name a file, a folder, an address, or a pattern such as "orders-*.csv"',
    });
  }
  return files(path.dirname(place), { glob, isOne: true, name: sourceName(glob), isWritten });
}

async function files(folder: string, { glob, isOne, name, only, isWritten }: Meant): Promise<ToLoad> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const isMissing = cause.code === 'ENOENT' || cause.code === 'ENOTDIR';
    const what = isMissing ? `There is no folder ${folder}.` : `The folder ${folder} cannot be read.`;
    throw new CliError('usage', what, { hint: 'Check the path', cause });
  });
  const isMeant = (file: string) => (only === undefined ? path.matchesGlob(file, glob) : file === only);
  const found = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && isMeant(entry.name))
    .map((entry) => entry.name)
    .sort();
  const isRead = (file: string) => (isWritten ? !isNeverRead(file) : isReadFile(file));
  const [read, others] = [found.filter(isRead), found.filter((file) => !isRead(file) && !UNCOUNTED.test(file))];
  if (read.length === 0) {
    const [first] = others;
    throw new CliError('usage', 'No file there is CSV, JSON, JSON lines or Parquet.', {
      hint: first === undefined ? ENDINGS_HINT : `${first}: ${unreadFile(first).hint}`,
    });
  }
  return { kind: 'files', folder: await realpath(folder), glob, files: read, others, isOne, name };
}

interface Meant {
  glob: string;
  isOne: boolean;
  name: string;
  only?: string;
  isWritten: boolean;
}

/** The name of a source for a path or a glob. */
export const sourceName = (file: string): string => sourceNameOf(path.basename(file));

/** A glob for names as an upload keeps them: another sign stands where a name has one that is not kept. */
export const globInUpload = (glob: string): string =>
  glob.normalize('NFC').replace(/[^\p{L}\p{N}\p{M} ._()+=@,&*?[\]{}!\\-]/gu, '?');
