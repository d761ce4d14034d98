import type { Sealer } from './sealer.ts';
import type { SecretStore } from './secret-store.ts';

/** Where the credentials of sources are kept. */
export type CredentialMode = 'legacy_inline' | 'secret_store';

/** What keeps credentials in this process; which parts are there follows from the settings. */
export interface Vault {
  readonly mode: CredentialMode;
  /** There when a key file is named, in either mode: values that wait for a discovery are sealed in both. */
  readonly sealer: Sealer | undefined;
  /** There in mode `secret_store`. */
  readonly store: SecretStore | undefined;
}
