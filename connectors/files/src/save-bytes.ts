import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fault } from './fault.ts';

/** The most bytes of one file that are unpacked, fetched or rewritten into the temporary folder. */
export const MAX_SAVED_BYTES = 4 * 1024 * 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;

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

/** Copies bytes of a file to a new one; their SHA-256 in hexadecimal digits. */
export async function copyRange(
  { path, from, to }: { readonly path: string; readonly from: number; readonly to: number },
  target: string,
): Promise<string> {
  const hash = createHash('sha256');
  const seen = new Transform({
    transform(block, _, done) {
      hash.update(block);
      done(null, block);
    },
  });
  const source = createReadStream(path, { start: from, end: to - 1, highWaterMark: BLOCK_BYTES });
  await pipeline(source, seen, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  return hash.digest('hex');
}
