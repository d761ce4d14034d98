/** Door of the vault: keeps the values of credentials sealed in our database, or in a secret store. */

export { type OpenedVault, openVault, type VaultSettings } from './open-vault.ts';
export type { Sealer, SealPlace } from './sealer.ts';
export { Secret } from './secret.ts';
export type { SecretPath, SecretStore } from './secret-store.ts';
export { type SecretValues, sameValues, secretValues } from './secret-values.ts';
export type { CredentialMode, Vault } from './vault.ts';
export { VAULT_FAULTS, type VaultCode, VaultError, type VaultReason } from './vault-error.ts';
