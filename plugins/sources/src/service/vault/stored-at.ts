import type { Tenant, TenantTransaction } from '@weir/kernel';
import type { SealPlace } from '@weir/vault';
import { waitingRotations } from './rotation-rows.ts';
import { credentialOf } from './rows.ts';
import type { StoredAt } from './vault-access.ts';

/** The place that the credentials of a source are sealed for. */
export function sourcePlace({ tenantId }: Pick<Tenant, 'tenantId'>, sourceId: string): SealPlace {
  return { tenantId, subjectId: sourceId, purpose: 'source' };
}

/** The place that credentials are sealed for until a source is made of them. */
export function discoveryPlace({ tenantId }: Pick<Tenant, 'tenantId'>, discoveryId: string): SealPlace {
  return { tenantId, subjectId: discoveryId, purpose: 'discovery' };
}

/** Where the credentials of a row lie: sealed in it, or in the secret store at the version that counts now. */
export async function storedAt(
  tx: TenantTransaction,
  { sealed, credentialId }: { sealed?: string | null | undefined; credentialId?: string | null | undefined },
  place: SealPlace,
): Promise<StoredAt> {
  const waiting = credentialId ? await waitingRotations(tx, credentialId) : [];
  return { place, sealed: sealed ?? undefined, credential: await credentialOf(tx, { credentialId }), waiting };
}
