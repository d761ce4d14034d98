import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';

const POLL_MS = 25;
/** Longer than whoever holds it may take: a renewal at the identity provider and a small file. */
const WAIT_MS = 60_000;
/** SQLITE_BUSY: somebody else has it. */
const BUSY = 5;

/**
 * Does work that one process of this user at a time may do. The lock is one of the operating system, taken through
 * SQLite, since Node has none of its own: it ends with its holder, however that ends, and is never stale.
 */
export async function withFileLock<T>(
  file: string,
  interrupted: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new CliError('usage', `Cannot write ${file}.`, { cause: error });
  });
  const lock = new DatabaseSync(file, { timeout: 0 });
  const deadline = performance.now() + WAIT_MS;
  try {
    while (!taken(lock)) {
      if (interrupted?.aborted) throw new CliError('interrupted', 'Interrupted.');
      if (performance.now() > deadline) {
        throw new CliError('conflict', 'Another weir command has been changing the profiles for a minute.', {
          code: 'profiles_locked',
        });
      }
      await sleep(POLL_MS);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function taken(lock: { exec(sql: string): void }): boolean {
  try {
    // Nothing is ever written, so that no journal is needed beside the file.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) return false;
    throw error;
  }
}
