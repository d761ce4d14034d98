import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

const ATTEMPT = /^(\d+)-/;

/** The scratch folders of attempts: each belongs to the worker process in its name and ends with the attempt. */
export interface WorkFolders {
  make(label: string): Promise<string>;
  remove(folder: string): Promise<void>;
  /** Removes what workers that no longer run have left behind. */
  sweep(): Promise<void>;
}

/** Scratch folders below `root`, owner-only. */
export function workFolders(root: string): WorkFolders {
  const base = async () => {
    await mkdir(join(root, 'attempts'), { recursive: true, mode: 0o700 });
    return realpath(join(root, 'attempts'));
  };
  return {
    async make(label) {
      const folder = join(await base(), `${process.pid}-${label}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    remove: (folder) => rm(folder, { recursive: true, force: true }),
    async sweep() {
      const folder = await base();
      for (const name of await readdir(folder)) {
        const owner = ATTEMPT.exec(name)?.[1];
        if (owner !== undefined && !isAlive(Number(owner)))
          await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
