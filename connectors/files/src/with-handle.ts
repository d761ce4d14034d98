import { type FileHandle, open } from 'node:fs/promises';
import { fault } from './fault.ts';

/** Runs `use` with a file open for reading; `file_unreadable` when it cannot be opened. */
export async function withHandle<T>(path: string, where: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path).catch(() => {
    throw fault('file_unreadable', where);
  });
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
