import type { Dirent } from 'node:fs';
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, matchesGlob, resolve, sep } from 'node:path';
import { fault } from './fault.ts';
import { type FolderBounds, isAllowed } from './folder-bounds.ts';
import type { LocalPlace, RemotePlace } from './source-file.ts';

/** What a place holds: the names that globs are matched with, what the state knows each by, and where it is. */
export type Listing = {
  readonly found: readonly { readonly name: string; readonly key: string }[];
  /** Undefined for what is no file. */
  readonly placeOf: (key: string) => Promise<LocalPlace | RemotePlace | undefined>;
};

/** How many entries of a folder tree are looked at. */
const MAX_ENTRIES = 100_000;
/**
 * The files of a folder that may count, in name order. Refuses with `folder_unreadable`, `folder_not_allowed`,
 * `path_outside_folder` and `too_many_files`; asking for the place of a file, with `file_unreadable`,
 * `folder_not_allowed` and `path_outside_folder`. Names that begin with a dot and folders that are out of bounds are
 * not looked at; links to folders are not followed.
 */
export async function listFolder(path: string, globs: readonly string[], bounds: FolderBounds): Promise<Listing> {
  const root = await realFolder(path, bounds);
  for (const glob of globs) assertInside(glob);
  const names = await walk(root, globs, bounds);
  return { found: names.map((name) => ({ name, key: name })), placeOf: (name) => localPlace(root, name, bounds) };
}

/** What became of a file since it was listed: the same, the same with more behind it, or another. */
export async function changeOf(place: LocalPlace): Promise<'same' | 'grown' | 'changed'> {
  const now = await stat(place.path, { bigint: true }).catch(() => undefined);
  if (now === undefined || now.ino !== place.inode) return 'changed';
  if (Number(now.size) === place.size && toMs(now.mtimeNs) === place.mtimeMs) return 'same';
  return Number(now.size) > place.size ? 'grown' : 'changed';
}

/** Judges the path before it looks: what is out of bounds answers the same whether it exists or not. */
async function realFolder(path: string, bounds: FolderBounds): Promise<string> {
  if (!isAbsolute(path)) throw fault('folder_unreadable');
  if (!isAllowed(resolve(path), bounds)) throw fault('folder_not_allowed');
  const root = await realpath(path).catch(() => undefined);
  if (root !== undefined && !isAllowed(root, bounds)) throw fault('folder_not_allowed');
  if (root === undefined || !(await isReadableFolder(root))) throw fault('folder_unreadable');
  return root;
}

async function isReadableFolder(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.X_OK);
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function assertInside(glob: string): void {
  if (isAbsolute(glob) || glob.split(/[/\\{},]/).includes('..')) throw fault('path_outside_folder');
}

/** Every file below `root` that may count, by its relative name; a link that leads out and is asked for is refused. */
async function walk(root: string, globs: readonly string[], bounds: FolderBounds): Promise<string[]> {
  const deep = globs.some((glob) => glob.includes('/') || glob.includes('**'));
  const found: string[] = [];
  const folders = [''];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(root, folder))) {
      seen += 1;
      if (seen > MAX_ENTRIES) throw fault('too_many_files');
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && deep && isAllowed(join(root, name), bounds)) folders.push(name);
      if (entry.isFile() || entry.isSymbolicLink()) found.push(name);
      if (entry.isSymbolicLink()) await assertNoWayOut(root, name, globs);
    }
  }
  return found.sort();
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

async function localPlace(root: string, name: string, bounds: FolderBounds): Promise<LocalPlace | undefined> {
  const path = await realpath(join(root, name)).catch(() => undefined);
  const facts = path === undefined ? undefined : await stat(path, { bigint: true }).catch(() => undefined);
  if (path === undefined || facts === undefined) throw fault('file_unreadable', name);
  if (!path.startsWith(root + sep)) throw fault('path_outside_folder');
  if (!isAllowed(path, bounds)) throw fault('folder_not_allowed');
  if (!facts.isFile()) return undefined;
  return { path, inode: facts.ino, size: Number(facts.size), mtimeMs: toMs(facts.mtimeNs) };
}

function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}
