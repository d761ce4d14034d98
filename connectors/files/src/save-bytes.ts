import { open } from 'node:fs/promises';
import { fault } from './fault.ts';

/** The most bytes of one file that are unpacked, fetched or rewritten into the temporary folder. */
export const MAX_SAVED_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Writes a new file and gives its size in bytes. `file_too_large` when the source has more than the bound,
 * `temporary_files_full` when the disk has no more room.
 */
export async function saveBytes(path: string, source: AsyncIterable<Buffer>, where: string): Promise<number> {
  const handle = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const block of source) {
      size += block.length;
      if (size > MAX_SAVED_BYTES) throw fault('file_too_large', where);
      await handle.writeFile(block);
    }
    return size;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? fault('temporary_files_full', where) : error;
  } finally {
    await handle.close();
  }
}
