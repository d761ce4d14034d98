import { lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kernel } from '@weir/kernel';
import { removeTree } from '@weir/processes';

const ATTEMPT = /^(\d+)-/;

/** The scratch folders of attempts: each belongs to the worker process in its name and ends with the attempt. */
export interface WorkFolders {
  readonly root: string;
  make(label: string): Promise<string>;
  /** Never rejects: an attempt that has committed does not fail by what is left, which a later worker removes. */
  remove(folder: string): Promise<void>;
}

/**
 * Scratch folders below `root`, owner-only. What workers that no longer run have left is removed before the first is made;
 * `onLeft` takes each that could not be removed.
 */
export function workFolders(root: string, onLeft: (folder: string) => void): WorkFolders {
  const base = async () => {
    await mkdir(join(root, 'attempts'), { recursive: true, mode: 0o700 });
    return realpath(join(root, 'attempts'));
  };
  let sweeping: Promise<void> | undefined;
  const swept = (): Promise<void> => {
    sweeping ??= base()
      .then((folder) => sweepFolders(folder, ATTEMPT, onLeft))
      .catch((error: unknown) => {
        sweeping = undefined;
        throw error;
      });
    return sweeping;
  };
  // Where it fails the first folder is not made either.
  swept().catch(() => undefined);
  return {
    root,
    async make(label) {
      await swept();
      const folder = join(await base(), `${process.pid}-${label}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    remove: (folder) => removeTree(folder).catch(() => onLeft(folder)),
  };
}

/**
 * Removes the folders below `folder` that processes of this user left behind: their names match, and begin with a process id
 * in the first group.
 */
export async function sweepFolders(folder: string, names: RegExp, onLeft: (folder: string) => void): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = names.exec(name)?.[1];
    const path = join(folder, name);
    if (owner === undefined || !(await isLeft(path, Number(owner)))) continue;
    await removeTree(path).catch(() => onLeft(path));
  }
}

/** In a container every process of the same program has the same id: what is older than ours is of one before. */
async function isLeft(path: string, owner: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isDirectory() || found.uid !== process.geteuid?.()) return false;
  return owner === process.pid ? found.mtimeMs < performance.timeOrigin : !isAlive(owner);
}

/** Names in the worker's log what could not be removed. */
export function logLeft({ log }: Pick<Kernel, 'log'>): (folder: string) => void {
  return (folder) => log.warn({ folder }, 'the folder of an attempt could not be removed');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
