import type { SecretPath, SecretStore } from '../secret-store.ts';
import { secretValues } from '../secret-values.ts';
import { VaultError } from '../vault-error.ts';
import type { KvSecretStore } from './kv-secret-store.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
/** Holds no secret: what we write to see how the mount keeps versions. */
export const PROBE: SecretPath = { tenantId: NOBODY, credentialId: NOBODY };
/** A mount that nobody has set up keeps ten; the first of these is gone there. */
const PROBE_VERSIONS = 12;
/** Other processes may prove the mount at the same time and write versions that we were about to. */
const TRIES = 4 * PROBE_VERSIONS;

/**
 * Shows by doing that a mount is fit to refer to versions of it: a write must say which version it follows, and the first
 * of several versions stays. The role of the API may not read the mount's settings, so how many versions it keeps beyond
 * these only the operator's check can tell. `store_refused` with `mount_without_cas`, `too_few_versions` or
 * `versions_expire`.
 */
export async function proveMount(store: KvSecretStore): Promise<void> {
  try {
    if (await store.takesBlindWrites(PROBE)) throw new VaultError('store_refused', 'mount_without_cas');
    await fill(store);
    await store.read(PROBE, 1);
  } catch (error) {
    const { code, reason } = error as VaultError;
    if (code === 'version_missing') throw new VaultError('store_refused', 'too_few_versions');
    if (code === 'outcome_unknown') throw new VaultError('store_unavailable', reason);
    throw error;
  }
}

async function fill(store: SecretStore): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const version = (await store.current(PROBE))?.version ?? 0;
    if (version >= PROBE_VERSIONS) return;
    await store.write(PROBE, version, secretValues([['/version', version + 1]])).catch((error) => {
      if ((error as VaultError).code !== 'version_conflict') throw error;
    });
  }
  throw new VaultError('store_unavailable');
}

/** The store, whose first write waits until the mount is proved; `prove` does that before one comes. */
export function provedStore(store: KvSecretStore): SecretStore & { prove(): Promise<void> } {
  let proof: Promise<void> | undefined;
  const prove = () => {
    proof ??= proveMount(store).catch((error) => {
      proof = undefined;
      throw error;
    });
    return proof;
  };
  return {
    async write(path, after, values) {
      await prove();
      return store.write(path, after, values);
    },
    read: store.read,
    current: store.current,
    ping: store.ping,
    prove,
  };
}
