import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The longest key or identity that a file may hold. */
const MAX_FILE_BYTES = 4096;

/** Why a file is not taken, as the end of a sentence that begins with the name of its setting. */
export const FILE_FAULTS = {
  missing: 'names a file that is not there',
  unreadable: 'names a file that cannot be read',
  link: 'names a symbolic link; name the file itself',
  not_a_file: 'names something that is no ordinary file',
  mode: 'names a file that others may use; chmod it to 0400',
  owner: 'names a file that belongs to another user than the service',
  empty: 'names an empty file',
  too_large: `names a file of more than ${MAX_FILE_BYTES} bytes`,
  key_size: 'names a file that does not hold exactly 32 bytes',
} as const;

export type FileFault = keyof typeof FILE_FAULTS;

/** What was read, or why it is not taken. */
export type ProtectedFile = { readonly bytes: Buffer } | { readonly fault: FileFault };

const FAULT_OF: Readonly<Record<string, FileFault>> = { ENOENT: 'missing', ENOTDIR: 'missing', ELOOP: 'link' };

/**
 * Reads a small file that holds a key or an identity: an ordinary file, no link, of the user that this process runs as,
 * with no permission beside those of `allowed` (such as 0o440). What is checked is the open file, so it cannot be
 * exchanged in between.
 */
export function readProtectedFile(path: string, allowed: number): ProtectedFile {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe would hold the process until somebody writes to it.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    return { fault: FAULT_OF[String((cause as NodeJS.ErrnoException).code)] ?? 'unreadable' };
  }
  try {
    const { mode, uid } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { fault: 'not_a_file' };
    if (process.geteuid !== undefined && uid !== process.geteuid()) return { fault: 'owner' };
    if ((mode & 0o7777 & ~allowed) !== 0) return { fault: 'mode' };
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    const length = readSync(descriptor, bytes);
    if (length === 0) return { fault: 'empty' };
    return length > MAX_FILE_BYTES ? { fault: 'too_large' } : { bytes: bytes.subarray(0, length) };
  } catch {
    return { fault: 'unreadable' };
  } finally {
    closeSync(descriptor);
  }
}
