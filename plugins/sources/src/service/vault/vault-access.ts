import type { Kernel, Tenant } from '@weir/kernel';
import { type Sealer, type SealPlace, type SecretStore, type SecretValues, type Vault, VaultError } from '@weir/vault';
import { credentialProblems } from '../../contract.ts';
import { type WaitingRotation, withWaiting } from './rotation-rows.ts';

/** Where the values of a source lie: sealed in its row, or in the secret store at an exact version; nowhere without both. */
export interface StoredAt {
  place: SealPlace;
  sealed: string | undefined;
  credential: { credentialId: string; version: number } | undefined;
  /** What connectors renewed of it and is not written yet. */
  waiting?: readonly WaitingRotation[];
}

/** The secret store; throws `credential_mode_unsupported` where credentials are kept inline. */
export function requireStore({ mode, store }: Vault): SecretStore {
  if (mode !== 'secret_store') throw credentialProblems.credentialModeUnsupported();
  if (store === undefined) throw credentialProblems.secretStoreUnavailable();
  return store;
}

/** What seals; throws `credential_key_missing` where no key file is named. */
export function requireSealer({ sealer }: Vault): Sealer {
  if (sealer === undefined) throw credentialProblems.credentialKeyMissing();
  return sealer;
}

/**
 * Reads the values of a source or a discovery from wherever they lie, whatever the mode; undefined when it has none. Throws
 * `credentials_unreadable` and `secret_store_unavailable`.
 */
export async function storedValues(
  { vault, log }: Pick<Kernel, 'vault' | 'log'>,
  { tenantId }: Tenant,
  { place, sealed, credential, waiting = [] }: StoredAt,
): Promise<SecretValues | undefined> {
  return vaultProblems(log, async () => {
    if (sealed !== undefined) {
      if (vault.sealer === undefined) throw new VaultError('seal_key_unknown');
      return vault.sealer.open(sealed, place);
    }
    if (credential === undefined) return undefined;
    const { credentialId, version } = credential;
    if (vault.store === undefined) throw new VaultError('store_refused');
    const values = await vault.store.read({ tenantId, credentialId }, version);
    return withWaiting({ vault }, { tenantId }, values, waiting);
  });
}

/** Does the work; what the vault fails with becomes the problem that callers may see, and its code a line of the log. */
export async function vaultProblems<R>(log: Kernel['log'], work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    log.warn({ code: error.code, reason: error.reason }, 'the vault failed');
    throw isSeal(error) ? credentialProblems.credentialsUnreadable() : credentialProblems.secretStoreUnavailable();
  }
}

function isSeal({ code }: VaultError): boolean {
  return code === 'seal_broken' || code === 'seal_key_unknown' || code === 'version_missing';
}
