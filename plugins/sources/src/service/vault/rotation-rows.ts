import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { type Sealer, type SecretValues, type Vault, VaultError } from '@weir/vault';
import { v7 as uuidv7 } from 'uuid';
import { applyRotation, packRotation, type Rotation, unpackRotation } from '../../model/credential/rotated-values.ts';

/** A rotation that waits to be written to the secret store, sealed for its row. */
export interface WaitingRotation {
  rotationId: string;
  credentialId: string;
  sealed: string;
}

const placeOf = (tenantId: string, rotationId: string) => ({
  tenantId,
  subjectId: rotationId,
  purpose: 'rotation' as const,
});

/**
 * Keeps a rotation until it is written to the secret store, and tells whoever may write there. A configuration that is no
 * source yet may have reported it.
 */
export async function insertRotation(
  tx: TenantTransaction,
  vault: Vault,
  { sourceId, credentialId, rotation }: { sourceId: string | null; credentialId: string; rotation: Rotation },
): Promise<void> {
  const { tenantId } = tx.tenant;
  const rotationId = uuidv7();
  const sealed = sealerOf(vault).seal(packRotation(rotation), placeOf(tenantId, rotationId));
  await tx.sql(
    `insert into sources.credential_rotation (tenant_id, rotation_id, credential_id, source_id, sealed, created_at)
     values ($1, $2, $3, $4, $5, now())`,
    [tenantId, rotationId, credentialId, sourceId, sealed],
  );
  await tx.sql(
    `insert into sources.rotation_due (tenant_id, rung_at) values ($1, clock_timestamp())
     on conflict (tenant_id) do update set rung_at = clock_timestamp()`,
    [tenantId],
  );
}

/** The rotations of a credential, or of all of a tenant, in the order in which they were reported. */
export async function waitingRotations(tx: TenantTransaction, credentialId?: string): Promise<WaitingRotation[]> {
  const { rows } = await tx.sql(
    `select rotation_id, credential_id, sealed from sources.credential_rotation
     where tenant_id = $1 and ($2::uuid is null or credential_id = $2) order by rotation_id`,
    [tx.tenant.tenantId, credentialId ?? null],
  );
  return rows.map(({ rotation_id, credential_id, sealed }) => ({
    rotationId: String(rotation_id),
    credentialId: String(credential_id),
    sealed: String(sealed),
  }));
}

/** Credentials with what still waits to be written on top of them. Throws `VaultError` for a row that does not open. */
export function withWaiting(
  { vault }: Pick<Kernel, 'vault'>,
  { tenantId }: Pick<Tenant, 'tenantId'>,
  values: SecretValues | undefined,
  waiting: readonly WaitingRotation[],
): SecretValues | undefined {
  return waiting.reduce((current, { rotationId, sealed }) => {
    const rotation = unpackRotation(sealerOf(vault).open(sealed, placeOf(tenantId, rotationId)));
    return applyRotation(current, rotation) ?? current;
  }, values);
}

/** Without a key nothing can wait, and nothing that waits can be read. */
function sealerOf({ sealer }: Pick<Vault, 'sealer'>): Sealer {
  if (sealer === undefined) throw new VaultError('seal_key_unknown');
  return sealer;
}
