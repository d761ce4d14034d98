import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** npm's record of the packages that are installed, with their versions and hashes. */
export const INSTALLED = 'node_modules/.package-lock.json';

export async function git(root: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: root, maxBuffer: MAX_OUTPUT })).stdout;
}

/** Files of the checkout, those that git does not know yet too; throws when none matches. */
export async function listFiles(root: string, ...patterns: string[]): Promise<string[]> {
  const listed = await git(
    root,
    'ls-files',
    '-z',
    '-c',
    '-o',
    '--exclude-standard',
    '--deduplicate',
    '--',
    ...patterns,
  );
  const gone = new Set((await git(root, 'ls-files', '-z', '-d')).split('\0'));
  const files = listed.split('\0').filter((file) => file !== '' && !gone.has(file));
  if (files.length === 0) throw new Error(`no file matches ${patterns.join(' ')}: nothing was checked`);
  return files.sort();
}

/** The text of each file. */
export async function readTexts(root: string, files: readonly string[]): Promise<[file: string, text: string][]> {
  return Promise.all(files.map(async (file) => [file, await readFile(path.join(root, file), 'utf8')]));
}

/** SHA-256 over the content of each file; empty for a missing one. */
export async function hashFiles(root: string, files: readonly string[]): Promise<Map<string, string>> {
  const hashes = files.map(async (file): Promise<[string, string]> => {
    const content = await readFile(path.join(root, file)).catch(() => undefined);
    return [file, content === undefined ? '' : createHash('sha256').update(content).digest('hex')];
  });
  return new Map(await Promise.all(hashes));
}

/** One hash for the names and contents of all files, the installed packages and this Node. */
export async function hashAll(root: string, files: readonly string[]): Promise<string> {
  const hashes = await hashFiles(root, [...files, INSTALLED]);
  return createHash('sha256')
    .update(JSON.stringify([process.version, ...hashes]))
    .digest('hex');
}
