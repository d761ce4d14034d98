import type { FileHandle } from 'node:fs/promises';

/** Writes parts of a file behind each other where it stands, all in one call. Rejects with what the system says when there is no room. */
export async function writeParts(to: FileHandle, parts: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await to.writev(parts);
  const whole = parts.reduce((sum, { length }) => sum + length, 0);
  // A call that wrote less gave no reason; this one does.
  if (bytesWritten < whole) await to.writeFile(Buffer.concat(parts).subarray(bytesWritten));
}
