import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

const KEY_BYTES = 32;
/** Nobody writes it again, and nobody but its owner reads it. */
const KEY_MODE = 0o400;

/** Makes the key that seals the credentials of a development server, unless it is there: what it sealed needs it. */
export async function makeCredentialKey(file: string): Promise<void> {
  await writeFile(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: KEY_MODE }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}
