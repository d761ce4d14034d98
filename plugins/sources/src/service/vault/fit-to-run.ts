import type { Kernel, Tenant } from '@weir/kernel';
import { VaultError } from '@weir/vault';
import { credentialProblems } from '../../contract.ts';
import { withValues } from '../../model/credential/read-values.ts';
import { checkConfig, configFaults } from '../../model/pattern/check-config.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import type { SourceRow } from '../../model/source/entity.ts';
import { sourcePlace } from './stored-at.ts';

/** How the credentials of a source stand, as far as can be told without asking the secret store. */
export type CredentialState = 'ready' | 'missing' | 'unreadable';

interface Asked {
  source: Pick<SourceRow, 'sourceId' | 'sourceConfig' | 'sealed' | 'credentialId'>;
  pattern: Pattern;
}

/** Whether a source has the credentials that its pattern asks for. What lies in the secret store was checked when it was written. */
export function credentialState(
  { vault }: Pick<Kernel, 'vault'>,
  tenant: Pick<Tenant, 'tenantId'>,
  { source, pattern }: Asked,
): CredentialState {
  if (source.credentialId) return vault.store === undefined ? 'unreadable' : 'ready';
  if (source.sealed) return openSealed({ vault }, tenant, source) === undefined ? 'unreadable' : 'ready';
  if (pattern.credentialFields.length === 0 || configFaults(pattern, source.sourceConfig).length === 0) return 'ready';
  const others = configFaults(pattern, source.sourceConfig, { withoutCredentials: true });
  return others.length === 0 ? 'missing' : 'ready';
}

/**
 * Throws `credential_not_attached`, `credentials_unreadable` or `source_config_invalid` for a source that its pattern cannot
 * be run with.
 */
export function refuseUnfit(kernel: Pick<Kernel, 'vault'>, tenant: Pick<Tenant, 'tenantId'>, asked: Asked): void {
  const { source, pattern } = asked;
  const state = credentialState(kernel, tenant, asked);
  if (state === 'missing') throw credentialProblems.credentialNotAttached({ values: { source_id: source.sourceId } });
  if (state === 'unreadable') throw credentialProblems.credentialsUnreadable();
  const values = source.sealed ? openSealed(kernel, tenant, source) : undefined;
  const withoutCredentials = Boolean(source.credentialId);
  checkConfig(pattern, withValues(source.sourceConfig, values), { withoutCredentials });
}

function openSealed(
  { vault }: Pick<Kernel, 'vault'>,
  tenant: Pick<Tenant, 'tenantId'>,
  { sealed, sourceId }: Pick<SourceRow, 'sealed' | 'sourceId'>,
) {
  try {
    return vault.sealer?.open(sealed ?? '', sourcePlace(tenant, sourceId));
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
