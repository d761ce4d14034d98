import { createHash } from 'node:crypto';
import { type FileFault, readProtectedFile } from './protected-file.ts';
import { Secret } from './secret.ts';

/** A key that wraps the keys of rows, under the name that its own bytes give it. */
export interface SealKey {
  readonly kid: string;
  readonly key: Secret<Buffer>;
}

const KEY_BYTES = 32;
/** Nobody but the service reads a key: not even its group. */
const KEY_MODE = 0o400;
const KID_LENGTH = 16;

/** Names a key of 32 bytes. The name tells nothing of it: it is cut from a hash of it. */
export function sealKey(bytes: Buffer): SealKey {
  const kid = createHash('sha256').update('weir-key-id:').update(bytes).digest('hex').slice(0, KID_LENGTH);
  return { kid, key: new Secret(bytes) };
}

/** Reads a key file: exactly 32 bytes, mode 0400, the service's own, no link. */
export function readKeyFile(path: string): SealKey | { readonly fault: FileFault } {
  const file = readProtectedFile(path, KEY_MODE);
  if ('fault' in file) return file;
  return file.bytes.length === KEY_BYTES ? sealKey(Buffer.from(file.bytes)) : { fault: 'key_size' };
}
