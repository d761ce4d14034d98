import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const PASSABLE = 0o711;
/** Where Linux keeps files in memory alone. */
const MEMORY = '/dev/shm';
/** Many times what the servers of a run keep, so that they take nobody else's memory. */
const MEMORY_ROOM = 8 * 1024 ** 3;

async function hasRoom(folder: string): Promise<boolean> {
  const system = await statfs(folder).catch(() => undefined);
  return system !== undefined && Math.min(system.bavail * system.bsize, freemem()) >= MEMORY_ROOM;
}

/**
 * Makes a folder for servers of a test, whose name begins so. One that runs as another user, as Postgres does where we are
 * root, can enter it: its data lie there, and go with the folder. With `inMemory` it lies in memory where there is plenty: to
 * make and remove files by the thousand costs less there than on a disk.
 */
export async function serverFolder(prefix: string, { inMemory = false } = {}): Promise<string> {
  const parent = inMemory && (await hasRoom(MEMORY)) ? MEMORY : tmpdir();
  const folder = await mkdtemp(path.join(parent, prefix));
  await chmod(folder, PASSABLE);
  return folder;
}
