/** What tests of those who use the vault need: a store in memory, a key, and the suite that every store passes. */

import { randomBytes } from 'node:crypto';
import { createSealer } from './create-sealer.ts';
import { sealKey } from './seal-key.ts';
import type { Sealer } from './sealer.ts';
import { type MemorySecretStore, memorySecretStore } from './testing/memory-secret-store.ts';
import type { CredentialMode, Vault } from './vault.ts';

export { type MemorySecretStore, memorySecretStore } from './testing/memory-secret-store.ts';

/** A sealer with a new key each time; `testSealer(old)` seals with a new key and opens what `old` sealed. */
const keys = new WeakMap<Sealer, ReturnType<typeof sealKey>>();
export function testSealer(previous?: Sealer): Sealer {
  const key = sealKey(randomBytes(32));
  const sealer = createSealer(key, previous && keys.get(previous));
  keys.set(sealer, key);
  return sealer;
}

/** A vault with a test key, and in mode `secret_store` a store in memory. */
export function testVault(
  mode: CredentialMode = 'legacy_inline',
): Vault & { readonly store: MemorySecretStore | undefined } {
  return { mode, sealer: testSealer(), store: mode === 'secret_store' ? memorySecretStore() : undefined };
}
