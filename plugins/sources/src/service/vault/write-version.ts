import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type SecretStore, type SecretValues, sameValues, VaultError } from '@weir/vault';
import { credentialProblems } from '../../contract.ts';
import { uniqueConstraint } from '../row/unique-constraint.ts';
import { vaultProblems } from './vault-access.ts';

/** Why a version that was written is not used. */
export type QuarantineReason = 'not_committed' | 'abandoned' | 'unverified' | 'unexpected';

/** What writing to the secret store needs of the kernel. */
export type WriteKernel = Pick<Kernel, 'db' | 'log'>;

export interface WriteDeps {
  kernel: WriteKernel;
  store: SecretStore;
}

/** One version to be written, and the batch of which its use is one transaction. */
export interface NewVersion {
  batchId: string;
  credentialId: string;
  /** The newest version that was ever written; 0 for a new credential. */
  after: number;
  values: SecretValues;
}

/**
 * Writes the version behind `after` and reads it back: an intent of its own transaction, the write, the comparison. The
 * caller's transaction then uses the version and calls `settleIntents`, or it is quarantined. An outcome that got lost is
 * resolved by reading; what cannot be resolved now is left to `sweepIntents` by its intent. Throws
 * `credential_change_in_progress` and `secret_store_unavailable`.
 */
export async function writeVersion({ kernel, store }: WriteDeps, tenant: Tenant, wanted: NewVersion): Promise<number> {
  const { credentialId, after, values, batchId } = wanted;
  const path = { tenantId: tenant.tenantId, credentialId };
  const version = after + 1;
  await beginIntent(kernel, tenant, { credentialId, batchId, version });
  await faultpoint('C1');
  return vaultProblems(kernel.log, async () => {
    const outcome = await store.write(path, after, values).catch(async (error: unknown) => {
      if (!(error instanceof VaultError)) throw error;
      if (error.code === 'outcome_unknown') return (await isWritten(store, wanted, path)) ? version : error;
      if (error.code === 'version_conflict') await quarantineUnexpected({ kernel, store }, tenant, credentialId);
      return error;
    });
    if (typeof outcome !== 'number') {
      await endIntent(kernel, tenant, credentialId);
      if (outcome.code === 'version_conflict') throw credentialProblems.credentialChangeInProgress();
      throw outcome;
    }
    await faultpoint('C2');
    const kept = await store.read(path, version).catch(() => undefined);
    if (kept !== undefined && sameValues(kept, values)) return version;
    await quarantineBatch(kernel, tenant, batchId, 'unverified');
    throw new VaultError('store_refused');
  });
}

/** Whether a write whose answer was lost was done; it throws what `current` throws, and the intent stays then. */
async function isWritten(
  store: SecretStore,
  { after, values }: NewVersion,
  path: { tenantId: string; credentialId: string },
): Promise<boolean> {
  const current = await store.current(path);
  return current?.version === after + 1 && sameValues(current.values, values);
}

/**
 * Runs the one transaction that uses everything a batch has written; when it does not commit, all of that is quarantined. A
 * commit whose answer was lost has taken its intents with it, so that nothing is quarantined that is used.
 */
export async function useWritten<R>(
  kernel: WriteKernel,
  tenant: Tenant,
  { batchId, versions }: { batchId: string; versions: number },
  work: (tx: TenantTransaction) => Promise<R>,
): Promise<R> {
  try {
    return await kernel.db(tenant).transaction(async (tx) => {
      const done = await work(tx);
      await settleIntents(tx, batchId, versions);
      return done;
    });
  } catch (error) {
    await quarantineBatch(kernel, tenant, batchId, 'not_committed').catch((failure: unknown) =>
      kernel.log.warn({ err: failure }, 'what was written to the secret store is quarantined by the next sweep'),
    );
    throw error;
  }
}

/** Ends the intents of a batch with the transaction that uses their versions; throws when a sweep was there first. */
export async function settleIntents(tx: TenantTransaction, batchId: string, versions: number): Promise<void> {
  const { rowCount } = await tx.sql('delete from sources.credential_intent where tenant_id = $1 and batch_id = $2', [
    tx.tenant.tenantId,
    batchId,
  ]);
  if (rowCount !== versions) throw credentialProblems.credentialChangeInProgress();
}

async function beginIntent(
  kernel: WriteKernel,
  tenant: Tenant,
  { credentialId, batchId, version }: { credentialId: string; batchId: string; version: number },
): Promise<void> {
  try {
    await kernel.db(tenant).transaction((tx) =>
      tx.sql(
        `insert into sources.credential_intent (tenant_id, credential_id, batch_id, version, renewed_at)
           values ($1, $2, $3, $4, now())`,
        [tenant.tenantId, credentialId, batchId, version],
      ),
    );
  } catch (error) {
    if (uniqueConstraint(error) !== 'credential_intent_pkey') throw error;
    throw credentialProblems.credentialChangeInProgress();
  }
}

/** Says that a batch is still being written, so that no sweep takes it for abandoned. */
export async function renewIntents(kernel: WriteKernel, tenant: Tenant, batchId: string): Promise<void> {
  await kernel
    .db(tenant)
    .transaction((tx) =>
      tx.sql('update sources.credential_intent set renewed_at = now() where tenant_id = $1 and batch_id = $2', [
        tenant.tenantId,
        batchId,
      ]),
    );
}

async function endIntent(kernel: WriteKernel, tenant: Tenant, credentialId: string): Promise<void> {
  await kernel
    .db(tenant)
    .transaction((tx) =>
      tx.sql('delete from sources.credential_intent where tenant_id = $1 and credential_id = $2', [
        tenant.tenantId,
        credentialId,
      ]),
    );
}

/** Notes that versions of a credential lie in the store and are not used; the next one is written behind them. */
export async function quarantine(
  tx: TenantTransaction,
  { credentialId, from, to }: { credentialId: string; from: number; to: number },
  reason: QuarantineReason,
): Promise<void> {
  const { tenantId } = tx.tenant;
  await tx.sql(
    `insert into sources.credential_quarantine (tenant_id, credential_id, version, reason, created_at)
     select $1, $2, version, $5, now() from generate_series($3::int, $4::int) as version on conflict do nothing`,
    [tenantId, credentialId, from, to, reason],
  );
  await tx.sql(
    `update sources.credential set latest_version = greatest(latest_version, $3)
     where tenant_id = $1 and credential_id = $2`,
    [tenantId, credentialId, to],
  );
}

/** Quarantines every version that a batch has an intent for. */
export async function quarantineBatch(
  kernel: WriteKernel,
  tenant: Tenant,
  batchId: string,
  reason: QuarantineReason,
): Promise<void> {
  await kernel.db(tenant).transaction(async (tx) => {
    const { rows } = await tx.sql(
      'delete from sources.credential_intent where tenant_id = $1 and batch_id = $2 returning credential_id, version',
      [tenant.tenantId, batchId],
    );
    for (const { credential_id: id, version } of rows) {
      await quarantine(tx, { credentialId: String(id), from: Number(version), to: Number(version) }, reason);
    }
  });
}

/** Somebody else wrote to the path of a credential: their versions are never used, and the next write goes behind them. */
async function quarantineUnexpected({ kernel, store }: WriteDeps, tenant: Tenant, credentialId: string): Promise<void> {
  const current = await store.current({ tenantId: tenant.tenantId, credentialId });
  await kernel.db(tenant).transaction(async (tx) => {
    const { rows } = await tx.sql(
      'select latest_version from sources.credential where tenant_id = $1 and credential_id = $2 for update',
      [tenant.tenantId, credentialId],
    );
    const known = Number(rows[0]?.latest_version ?? 0);
    if (current === undefined || current.version <= known) return;
    await quarantine(tx, { credentialId, from: known + 1, to: current.version }, 'unexpected');
  });
}
