import { chmod, stat } from 'node:fs/promises';

const WRITE_BITS = 0o222;

/** Takes from everybody the right to write a finished file; one of another user is left as it is. */
export async function makeReadOnly(path: string): Promise<void> {
  const { mode } = await stat(path);
  await chmod(path, mode & ~WRITE_BITS).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error;
  });
}
