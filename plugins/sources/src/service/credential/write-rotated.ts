import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';
import { v7 as uuidv7 } from 'uuid';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import { credentialTag } from '../../model/discovery/seen.ts';
import type { Sql } from '../pattern/catalog.ts';
import { carrySeenCredential } from '../row/last-seen.ts';
import { type WaitingRotation, waitingRotations, withWaiting } from '../vault/rotation-rows.ts';
import { noteVersion } from '../vault/rows.ts';
import { requireStore, vaultProblems } from '../vault/vault-access.ts';
import { useWritten, writeVersion } from '../vault/write-version.ts';

/** A tenant whose rotations could not be written is asked again after this long. */
const AGAIN_AFTER_MS = 15_000;

type RotationKernel = Pick<Kernel, 'db' | 'vault' | 'log' | 'tenants'>;

/** Writes what waits into the secret store; asks every second which tenants have something. */
export function rotationWriter(kernel: RotationKernel, sql: Sql): Duty {
  const failedAt = new Map<string, number>();
  return duty({
    name: 'sources.rotations',
    everyMs: 1_000,
    where: 'api',
    async tenants() {
      const { rows } = await sql('select tenant_id from sources.rotation_due', []);
      const isDue = (id: string) =>
        performance.now() - (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= AGAIN_AFTER_MS;
      const due = rows.map(({ tenant_id }) => String(tenant_id)).filter(isDue);
      const found = await Promise.all(due.map((id) => kernel.tenants.byId(id)));
      return found.filter((tenant) => tenant !== undefined);
    },
    async perTenant(tenant) {
      failedAt.set(tenant.tenantId, performance.now());
      await writeDue(kernel, sql, tenant);
      failedAt.delete(tenant.tenantId);
    },
  });
}

/** Writes all that waits for one tenant. Throws, and the tenant stays due, when something is left. */
async function writeDue(kernel: RotationKernel, sql: Sql, tenant: Tenant): Promise<void> {
  const due = 'from sources.rotation_due where tenant_id = $1';
  const { rows } = await sql(`select rung_at::text as rung_at ${due}`, [tenant.tenantId]);
  await writeRotations(kernel, tenant);
  // Who has rung since will be heard.
  await sql(`delete ${due} and rung_at = $2::timestamptz`, [tenant.tenantId, rows[0]?.rung_at ?? null]);
}

/**
 * Writes the rotations of a tenant to the secret store, each credential as one new exact version, and takes their rows away in
 * the transaction that uses it. A rotation of a field that somebody has set since is dropped, as is one of a credential
 * that is revoked. Throws what `writeVersion` throws; what was not written waits on.
 */
export async function writeRotations(kernel: Pick<Kernel, 'db' | 'vault' | 'log'>, tenant: Tenant): Promise<void> {
  const waiting = await kernel.db(tenant).transaction((tx) => waitingRotations(tx));
  let failure: unknown;
  for (const [credentialId, rotations] of Map.groupBy(waiting, (one) => one.credentialId)) {
    await writeRotation(kernel, tenant, { credentialId, rotations }).catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (failure !== undefined) throw failure;
}

interface Due {
  credentialId: string;
  rotations: readonly WaitingRotation[];
}

async function writeRotation(
  kernel: Pick<Kernel, 'db' | 'vault' | 'log'>,
  tenant: Tenant,
  { credentialId, rotations }: Due,
): Promise<void> {
  const store = requireStore(kernel.vault);
  const find = () => kernel.db(tenant).transaction((tx) => tx.findOne(CredentialEntity, { credentialId }));
  const credential = await find();
  const values = await vaultProblems(kernel.log, async () => {
    if (credential === undefined || credential.status === 'revoked') return undefined;
    const current = await store.read({ tenantId: tenant.tenantId, credentialId }, credential.version);
    const next = withWaiting(kernel, tenant, current, rotations);
    return next === current ? undefined : next;
  });
  if (credential === undefined || values === undefined) {
    await kernel.db(tenant).transaction((tx) => removeRotations(tx, rotations));
    kernel.log.info({ rotations: rotations.length }, 'renewed credentials are not needed any more');
    return;
  }
  const batchId = uuidv7();
  const wanted = { batchId, credentialId, after: credential.latestVersion, values };
  const version = await writeVersion({ kernel, store }, tenant, wanted);
  await useWritten(kernel, tenant, { batchId, versions: 1 }, async (tx) => {
    const row = await lockedAs(tx, credential);
    const changes = { version, latestVersion: version, fields: [...values.keys()], rotatedAt: new Date() };
    const turned = await tx.update(row, changes);
    await noteVersion(tx, turned);
    await carrySeenCredential(tx, {
      tenantId: tenant.tenantId,
      before: credentialTag({ credential }),
      after: credentialTag({ credential: turned }),
    });
    await removeRotations(tx, rotations);
  });
}

type Tx = Parameters<Parameters<ReturnType<Kernel['db']>['transaction']>[0]>[0];

/** The row of a credential as it was read; a user who turns it meanwhile goes first, and the rotation is tried anew. */
async function lockedAs(tx: Tx, { credentialId, version }: CredentialRow): Promise<CredentialRow> {
  const row = await tx.findOne(CredentialEntity, { credentialId }, { lock: true });
  if (row === undefined || row.version !== version) throw new Error('the credential was turned meanwhile');
  return row;
}

async function removeRotations(tx: Tx, rotations: readonly WaitingRotation[]): Promise<void> {
  await tx.sql('delete from sources.credential_rotation where tenant_id = $1 and rotation_id = any ($2::uuid[])', [
    tx.tenant.tenantId,
    rotations.map(({ rotationId }) => rotationId),
  ]);
}
