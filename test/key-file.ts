import { randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a key file as an operator would: 32 random bytes that only the service may read. */
export function keyFile(folder: string, name = 'credential.key', bytes: Uint8Array = randomBytes(32)): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  chmodSync(file, 0o400);
  return file;
}
