import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Teardown } from '@weir/kernel/testing';

const run = promisify(execFile);
export const [SMALL_DISK, LARGE_DISK] = ['8m', '256m'];

/** Makes a large disk of a folder, which can be made small; otherwise says why a test has to be skipped. */
export async function smallDisk(t: Teardown, folder: string): Promise<string | false> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${LARGE_DISK}`, 'tmpfs', folder]);
  } catch {
    return 'this user cannot mount a small disk: it takes the superuser, and in a container the right to';
  }
  t.teardown(() => run('umount', ['-l', folder]));
  return false;
}

/** Gives the disk of a folder another size. */
export const resizeDisk = (folder: string, size: string) => run('mount', ['-o', `remount,size=${size}`, folder]);
