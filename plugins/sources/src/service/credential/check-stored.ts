import type { Kernel, Tenant } from '@weir/kernel';
import { VaultError } from '@weir/vault';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import { requireStore } from '../vault/vault-access.ts';

/** A credential whose exact version the store does not hold as the database knows it. */
export interface StoredFault {
  tenant: string;
  credential_ref: string;
  version: number;
  fault: 'version_missing' | 'fields_differ' | 'unreadable';
}

/**
 * Reads every credential that is not revoked at its exact version, and compares the names of its fields: what must hold after
 * a database and a secret store were restored. Answers how many there are and which do not match; no value leaves it.
 */
export async function checkStored(
  kernel: Kernel,
  tenants: readonly Tenant[],
): Promise<{ credentials: number; faults: StoredFault[] }> {
  const store = requireStore(kernel.vault);
  const faults: StoredFault[] = [];
  let credentials = 0;
  for (const tenant of tenants) {
    const rows = await kernel.db(tenant).transaction((tx) => tx.find(CredentialEntity, { status: { $ne: 'revoked' } }));
    credentials += rows.length;
    for (const row of rows) {
      const fault = await faultOf(row);
      const { credentialRef: credential_ref, version } = row;
      if (fault !== undefined) faults.push({ tenant: tenant.alias, credential_ref, version, fault });
    }
  }
  return { credentials, faults };

  async function faultOf({ tenantId, credentialId, version, fields }: CredentialRow) {
    try {
      const values = await store.read({ tenantId, credentialId }, version);
      const isSame = values.size === fields.length && fields.every((field) => values.has(field));
      return isSame ? undefined : ('fields_differ' as const);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (error.code === 'store_unavailable') throw error;
      return error.code === 'version_missing' ? error.code : ('unreadable' as const);
    }
  }
}
