/** Door of the vault: credentials of sources, sealed or in a secret store, and TLS to the services that we stand on. */

export { type OpenedVault, openVault, type VaultSettings } from './open-vault.ts';
export { type DatabaseTls, databaseTls, databaseTlsFault, SSL_MODES } from './peers/database-tls.ts';
export { type EngineTls, type EngineTlsConfig, engineTls, engineTlsFault } from './peers/engine-tls.ts';
export type { Sealer, SealPlace } from './sealer.ts';
export { Secret } from './secret.ts';
export type { SecretPath, SecretStore } from './secret-store.ts';
export { type SecretValues, sameValues, secretValues } from './secret-values.ts';
export type { CredentialMode, Vault } from './vault.ts';
export { VAULT_FAULTS, type VaultCode, VaultError, type VaultReason } from './vault-error.ts';
