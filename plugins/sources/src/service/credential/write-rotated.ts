import { type Kernel, type Repetition, repeat, type Tenant } from '@weir/kernel';
import { v7 as uuidv7 } from 'uuid';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import { credentialTag } from '../../model/discovery/seen.ts';
import type { Sql } from '../pattern/catalog.ts';
import { carrySeenCredential } from '../row/last-seen.ts';
import { type WaitingRotation, waitingRotations, withWaiting } from '../vault/rotation-rows.ts';
import { noteVersion } from '../vault/rows.ts';
import { requireStore, vaultProblems } from '../vault/vault-access.ts';
import { useWritten, writeVersion } from '../vault/write-version.ts';

const POLL_MS = 1_000;
/** A tenant whose rotations could not be written is asked again after this long. */
const AGAIN_AFTER_MS = 15_000;

type RotationKernel = Pick<Kernel, 'db' | 'vault' | 'log' | 'tenants'>;

/**
 * Writes what waits into the secret store, in the process that may: it looks every second which tenants have something.
 * Once it is stopped nothing is written any more.
 */
export function startRotationWriter(kernel: RotationKernel, sql: Sql): Pick<Repetition, 'stop'> {
  const failedAt = new Map<string, number>();
  let stopped = false;
  const look = async () => {
    const { rows } = await sql('select tenant_id, rung_at::text as rung_at from sources.rotation_due', []);
    for (const { tenant_id: id, rung_at: rungAt } of rows) {
      const failed = failedAt.get(String(id)) ?? Number.NEGATIVE_INFINITY;
      if (stopped || performance.now() - failed < AGAIN_AFTER_MS) continue;
      const done = await writeDue(kernel, sql, { tenantId: String(id), rungAt: String(rungAt) });
      if (done) failedAt.delete(String(id));
      else failedAt.set(String(id), performance.now());
    }
  };
  const looks = repeat(POLL_MS, look, (err) => kernel.log.warn({ err }, 'rotations could not be looked for'));
  return {
    stop() {
      stopped = true;
      return looks.stop();
    },
  };
}

/** Writes all that waits for one tenant; false when something is left. */
async function writeDue(
  kernel: RotationKernel,
  sql: Sql,
  { tenantId, rungAt }: { tenantId: string; rungAt: string },
): Promise<boolean> {
  const tenant = await kernel.tenants.byId(tenantId);
  try {
    if (tenant !== undefined) await writeRotations(kernel, tenant);
    // Who has rung since will be heard.
    await sql('delete from sources.rotation_due where tenant_id = $1 and rung_at = $2::timestamptz', [
      tenantId,
      rungAt,
    ]);
    return true;
  } catch (err) {
    kernel.log.warn({ err, tenant_id: tenantId }, 'renewed credentials wait on; they are tried again');
    return false;
  }
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
