import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { checkConfig } from '../config/check-config.ts';
import type { CredentialRow } from '../credential/entity.ts';
import { type CredentialInput, givenCredential } from '../credential/given-credential.ts';
import { splitConfig, withValues } from '../credential/read-values.ts';
import { discoveryPlace } from '../credential/stored-at.ts';
import { requireSealer, requireStore, vaultProblems } from '../credential/vault-access.ts';
import type { Pattern } from '../pattern/pattern-file.ts';

export interface PendingConfig {
  discoveryId: string;
  pattern: Pattern;
  config: Record<string, unknown>;
  input: CredentialInput;
}

/** A configuration that is no source yet, as its discovery keeps it. */
export interface PendingCredentials {
  visible: Record<string, unknown>;
  /** Its credentials, sealed for the discovery. */
  sealed?: string;
  /** The credential that it refers to, in the transaction that writes the discovery. */
  find?(tx: TenantTransaction, options: { lock: boolean }): Promise<CredentialRow>;
}

/** Checks a configuration with the credentials of the request, and takes them apart; new values are sealed in either mode. */
export async function pendingCredentials(
  kernel: Kernel,
  tenant: Tenant,
  { discoveryId, pattern, config, input }: PendingConfig,
): Promise<PendingCredentials> {
  const given = await givenCredential(kernel, tenant, { input, pattern });
  if (given.kind === 'existing') {
    const store = requireStore(kernel.vault);
    const { credentialId, version } = await kernel.db(tenant).transaction((tx) => given.find(tx, config));
    const path = { tenantId: tenant.tenantId, credentialId };
    checkConfig(pattern, withValues(config, await vaultProblems(kernel.log, () => store.read(path, version))));
    return { visible: config, find: (tx, options) => given.find(tx, config, options) };
  }
  const full = given.kind === 'values' ? given.apply(config) : config;
  checkConfig(pattern, full);
  const { visible, values } = splitConfig(full, pattern);
  if (values.size === 0) return { visible };
  return { visible, sealed: requireSealer(kernel.vault).seal(values, discoveryPlace(tenant, discoveryId)) };
}
