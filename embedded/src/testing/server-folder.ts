import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PASSABLE = 0o711;

/**
 * Makes a folder for servers of a test, whose name begins so. One that runs as another user, as Postgres does where we are
 * root, can enter it: its data lie there, and go with the folder.
 */
export async function serverFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  await chmod(folder, PASSABLE);
  return folder;
}
