import { type Kernel, type Repetition, repeat, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { Sealer, SecretStore } from '@weir/vault';
import { sourcePlace } from '../vault/stored-at.ts';
import { quarantine } from '../vault/write-version.ts';

const SWEEP_EVERY_MS = 60_000;
/** An intent that nobody has renewed for this long belongs to a request that is gone; no call of the store takes as long. */
export const INTENT_EXPIRES_MS = 3 * 60_000;
/** Rows that one transaction seals again. */
const RESEAL_ROWS = 100;

/**
 * Clears up after requests that ended half way, and seals again what an earlier key has sealed, tenant by tenant: at once,
 * then every minute until it is stopped.
 */
export function startCredentialSweeper(kernel: Kernel): Repetition {
  const sweeps = repeat(
    SWEEP_EVERY_MS,
    () => sweepCredentials(kernel, new Date()),
    (err) => kernel.log.warn({ err }, 'credentials could not be swept; tried again in a minute'),
  );
  void sweeps.now();
  return sweeps;
}

/** One sweep, as of `now`. */
export async function sweepCredentials(kernel: Kernel, now: Date): Promise<void> {
  const { store, sealer } = kernel.vault;
  for (const tenant of await kernel.tenants.list()) {
    if (store !== undefined) await sweepIntents(kernel, store, tenant, now);
    if (sealer !== undefined) await resealRows(kernel, sealer, tenant);
  }
}

/** Quarantines what expired intents have written, if anything; the store says so. */
async function sweepIntents(kernel: Kernel, store: SecretStore, tenant: Tenant, now: Date): Promise<void> {
  const before = new Date(now.getTime() - INTENT_EXPIRES_MS);
  await kernel.db(tenant).transaction(async (tx) => {
    const { rows } = await tx.sql(
      `select credential_id, version from sources.credential_intent
       where tenant_id = $1 and renewed_at < $2 for update skip locked`,
      [tenant.tenantId, before],
    );
    for (const row of rows) {
      const [credentialId, from] = [String(row.credential_id), Number(row.version)];
      const current = await store.current({ tenantId: tenant.tenantId, credentialId });
      const to = current?.version ?? 0;
      if (to >= from) await quarantine(tx, { credentialId, from, to }, 'abandoned');
      await tx.sql('delete from sources.credential_intent where tenant_id = $1 and credential_id = $2', [
        tenant.tenantId,
        credentialId,
      ]);
    }
  });
}

/** Seals the rows of a tenant under the present key, so that the previous one can go. */
async function resealRows(kernel: Kernel, sealer: Sealer, tenant: Tenant): Promise<void> {
  for (;;) {
    const sealed = await kernel.db(tenant).transaction((tx) => resealSome(tx, sealer));
    if (sealed < RESEAL_ROWS) return;
  }
}

async function resealSome(tx: TenantTransaction, sealer: Sealer): Promise<number> {
  const { tenantId } = tx.tenant;
  const { rows } = await tx.sql(
    `select source_id, sealed from sources.source
     where tenant_id = $1 and sealed is not null and split_part(sealed, '.', 2) <> $2 limit $3 for update skip locked`,
    [tenantId, sealer.kid, RESEAL_ROWS],
  );
  for (const { source_id: sourceId, sealed } of rows) {
    const again = sealer.reseal(String(sealed), sourcePlace({ tenantId }, String(sourceId)));
    if (again === undefined) continue;
    await tx.sql('update sources.source set sealed = $3 where tenant_id = $1 and source_id = $2', [
      tenantId,
      sourceId,
      again,
    ]);
  }
  return rows.length;
}
