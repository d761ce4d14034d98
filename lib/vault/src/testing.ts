/** What tests of those who use the vault need: a store in memory, a key, and the suite that every store passes. */

import { randomBytes } from 'node:crypto';
import { createSealer } from './create-sealer.ts';
import { type SealKey, sealKey } from './seal-key.ts';
import type { Sealer } from './sealer.ts';
import { type MemorySecretStore, memorySecretStore } from './testing/memory-secret-store.ts';
import type { CredentialMode, Vault } from './vault.ts';

export { type MemorySecretStore, memorySecretStore } from './testing/memory-secret-store.ts';
export { type StoreSuite, secretStoreConformance } from './testing/secret-store-conformance.ts';

/** A key that is nowhere but here. */
export const testKey = (): SealKey => sealKey(randomBytes(32));

/** A sealer with a key of its own; with two keys, as while keys are changed. */
export const testSealer = (present: SealKey = testKey(), previous?: SealKey): Sealer => createSealer(present, previous);

/** A vault with a test key, and in mode `secret_store` a store in memory. */
export function testVault(
  mode: CredentialMode = 'legacy_inline',
): Vault & { readonly store: MemorySecretStore | undefined } {
  return { mode, sealer: testSealer(), store: mode === 'secret_store' ? memorySecretStore() : undefined };
}
