import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { SealPlace, SecretValues } from '@weir/vault';
import type { CredentialRow } from '../../model/credential/entity.ts';
import { splitConfig, withValues } from '../../model/credential/read-values.ts';
import { checkConfig } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { type CredentialInput, givenCredential } from '../credential/given-credential.ts';
import { discoveryPlace } from '../vault/stored-at.ts';
import { requireSealer, requireStore, vaultProblems } from '../vault/vault-access.ts';

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
  return { visible, ...sealedValues(kernel, values, discoveryPlace(tenant, discoveryId)) };
}

/** Values sealed for a discovery; nothing where there are none. */
export function sealedValues({ vault }: Pick<Kernel, 'vault'>, values: SecretValues, place: SealPlace) {
  return values.size === 0 ? {} : { sealed: requireSealer(vault).seal(values, place) };
}
