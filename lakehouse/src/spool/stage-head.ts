import { open } from 'node:fs/promises';

/** Bytes of the line of spaces, break included, that a spool should begin with; more are never looked at. */
export const SPOOL_HEAD_BYTES: number = 64 * 1024;
const [SPACE, NEWLINE] = [0x20, 0x0a];

/** Bytes of a first line of spaces: room that whoever wrote a spool left for a line of the stager's own. 0 for none. */
export async function headRoom(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(SPOOL_HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, SPOOL_HEAD_BYTES, 0);
    const end = head.subarray(0, bytesRead).indexOf(NEWLINE);
    return end > 0 && head.subarray(0, end).every((byte) => byte === SPACE) ? end : 0;
  } finally {
    await file.close();
  }
}

/** Fills the room at the head of a spool with a line, or with spaces again. */
export async function writeHead(path: string, room: number, line = ''): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(room, SPACE);
    head.write(line);
    await file.write(head, 0, room, 0);
  } finally {
    await file.close();
  }
}
