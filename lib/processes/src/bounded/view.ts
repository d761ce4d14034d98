import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** How long a program of the system may take, in milliseconds. */
export const RUN_MS = 20_000;

/** A folder that a bounded process sees, under its own name. */
export interface Place {
  readonly path: string;
  /** Whether it may write there; else it reads alone. */
  readonly writable?: boolean;
}

/** What a process may run is read alone; what it may read or write is never run. */
const [CODE, DATA] = ['bind,ro,nosuid,nodev', 'bind,nosuid,nodev,noexec'];
/** Of its own, the view holds names of folders. */
const ROOT = 'mode=755,size=4m,nosuid,nodev';
/**
 * Names of folders are added while no statement of a user runs. What was shown before goes first: a folder that was removed
 * meanwhile has taken its mount along, any other must not stay.
 */
const SHOW = `
set -e
root=$1 table=$2; shift 2
for before; do umount -R "$before" 2>/dev/null || if mountpoint -q "$before"; then exit 1; fi; done
mount -o remount,bind,rw,nosuid,nodev "$root"
mount --all --fstab "$table"
mount -o remount,bind,ro,nosuid,nodev "$root"`;

/** A path as it stands in a table of file systems (fstab(5)). */
const written = (path: string): string =>
  path.replaceAll(/[\s\\#]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);

const line = (root: string, path: string, options: string): string =>
  `${written(path)} ${written(root + path)} none ${options},X-mount.mkdir 0 0\n`;

/** The file systems that a view begins with: an empty root, and the folders of a program. */
export function programTable(root: string, folders: readonly string[]): string {
  const code = folders.map((path) => line(root, path, CODE));
  return `none ${written(root)} tmpfs ${ROOT} 0 0\n${code.join('')}`;
}

/** A view of a process that runs, and what it holds beside the program. */
export interface View {
  readonly pid: number;
  readonly root: string;
  readonly shown: readonly Place[];
}

/**
 * Has a process see folders in place of those that it was shown before; rejects while it has a file of these open. Outer ones come
 * first: one that it may write may lie within one that it reads.
 */
export async function showPlaces({ pid, root, shown }: View, places: readonly Place[]): Promise<void> {
  const ordered = places.toSorted((a, b) => a.path.length - b.path.length);
  const before = shown.filter(({ path }) => !shown.some((outer) => path.startsWith(`${outer.path}/`)));
  const table = ordered.map(({ path, writable }) => line(root, path, writable ? DATA : `${DATA},ro`)).join('');
  const file = `${root}.${randomUUID()}`;
  await writeFile(file, table);
  try {
    const there = ['--target', String(pid), '--mount', ...asUser('--preserve-credentials')];
    await run('nsenter', [...there, 'sh', '-c', SHOW, 'sh', root, file, ...before.map(({ path }) => root + path)]);
  } finally {
    await rm(file, { force: true });
  }
}

/** Whoever is not root makes its namespaces as the root of one of its users. */
export function asUser(how: string): string[] {
  return process.getuid?.() === 0 ? [] : ['--user', how];
}

/** Runs a program of the system, and answers what it says. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { timeout: RUN_MS })).stdout;
}
