import type { Dirent } from 'node:fs';
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, matchesGlob, parse, sep } from 'node:path';
import type { FileFormat, FilesConfig } from './config.ts';
import { fault } from './fault.ts';

/** One file as listed: `name` is its path below the folder, `path` the real one that is opened. */
export type SourceFile = {
  readonly name: string;
  readonly path: string;
  readonly format: FileFormat;
  readonly size: number;
  /** Milliseconds since the epoch, to the microsecond. */
  readonly mtimeMs: number;
};
export type FileStream = { readonly name: string; readonly files: readonly SourceFile[] };

/** How many entries of a folder tree are looked at. */
const MAX_ENTRIES = 100_000;
const ENDINGS: Readonly<Record<string, FileFormat>> = { '.csv': 'csv', '.parquet': 'parquet' };

/**
 * The streams that a configuration gives and their files in name order. Refuses with `folder_unreadable`,
 * `path_outside_folder`, `too_many_files`, `stream_name_taken`, and `no_files_matched` when a named stream, or the
 * whole, is empty. Names that begin with a dot are not looked at; links to folders are not followed.
 */
export async function listStreams(config: FilesConfig): Promise<FileStream[]> {
  const root = await realFolder(config.path);
  const globs = config.streams?.map((stream) => stream.glob) ?? [config.glob];
  for (const glob of globs) assertInside(glob);
  const found = await walk(root, globs);
  const streams: FileStream[] = [];
  if (config.streams === undefined) {
    const files = await filesOf(root, found, config.glob, undefined);
    for (const [name, same] of Map.groupBy(files, (file) => parse(file.name).name)) streams.push({ name, files: same });
  } else {
    for (const { name, glob, format } of config.streams) {
      streams.push({ name, files: await filesOf(root, found, glob, format) });
    }
  }
  if (streams.length === 0 || streams.some((stream) => stream.files.length === 0)) throw fault('no_files_matched');
  if (streams.some(({ files }) => new Set(files.map((file) => file.format)).size > 1)) throw fault('stream_name_taken');
  return streams.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the file is still the one that was listed. */
export async function isUnchanged(file: SourceFile): Promise<boolean> {
  const now = await stat(file.path, { bigint: true }).catch(() => undefined);
  return now !== undefined && Number(now.size) === file.size && toMs(now.mtimeNs) === file.mtimeMs;
}

async function realFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) throw fault('folder_unreadable');
  try {
    const root = await realpath(path);
    await access(root, constants.R_OK | constants.X_OK);
    if ((await stat(root)).isDirectory()) return root;
  } catch {
    // Told below, without the path.
  }
  throw fault('folder_unreadable');
}

function assertInside(glob: string): void {
  if (isAbsolute(glob) || glob.split(/[/\\{},]/).includes('..')) throw fault('path_outside_folder');
}

type Found = { readonly name: string; readonly link: boolean };

/** Every file below `root` that may count, by its relative name; a link that leads out and is asked for is refused. */
async function walk(root: string, globs: readonly string[]): Promise<Found[]> {
  const deep = globs.some((glob) => glob.includes('/') || glob.includes('**'));
  const found: Found[] = [];
  const folders = [''];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(root, folder))) {
      seen += 1;
      if (seen > MAX_ENTRIES) throw fault('too_many_files');
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && deep) folders.push(name);
      if (entry.isFile() || entry.isSymbolicLink()) found.push({ name, link: entry.isSymbolicLink() });
      if (entry.isSymbolicLink()) await assertNoWayOut(root, name, globs);
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    throw fault('folder_unreadable');
  }
}

/** Refuses a link out of the folder when a glob asks for it, or for something behind it. */
async function assertNoWayOut(root: string, name: string, globs: readonly string[]): Promise<void> {
  const target = await realpath(join(root, name)).catch(() => undefined);
  if (target?.startsWith(root + sep)) return;
  const depth = name.split('/').length;
  const leadsOn = (glob: string) => {
    const parts = glob.split('/');
    return parts.length > depth && matchesGlob(name, parts.slice(0, depth).join('/'));
  };
  if (globs.some((glob) => matchesGlob(name, glob) || glob.includes('**') || leadsOn(glob))) {
    throw fault('path_outside_folder');
  }
}

async function filesOf(
  root: string,
  found: readonly Found[],
  glob: string,
  format: FileFormat | undefined,
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const { name } of found) {
    const actual = format ?? ENDINGS[parse(name).ext.toLowerCase()];
    if (actual === undefined || !matchesGlob(name, glob)) continue;
    const path = await realpath(join(root, name)).catch(() => undefined);
    const facts = path === undefined ? undefined : await stat(path, { bigint: true }).catch(() => undefined);
    if (path === undefined || facts === undefined) throw fault('file_unreadable', name);
    if (!path.startsWith(root + sep)) throw fault('path_outside_folder');
    if (!facts.isFile()) continue;
    files.push({ name, path, format: actual, size: Number(facts.size), mtimeMs: toMs(facts.mtimeNs) });
  }
  return files;
}

function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}
