import { type Duty, duty, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { Sealer, SecretStore } from '@weir/vault';
import { sourcePlace } from '../vault/stored-at.ts';
import { quarantine } from '../vault/write-version.ts';

/** An intent that nobody has renewed for this long belongs to a request that is gone; no call of the store takes as long. */
export const INTENT_EXPIRES_MS = 3 * 60_000;
/** Rows that one transaction seals again. */
const RESEAL_ROWS = 100;

/** Clears up after requests that ended half way, and seals again what an earlier key has sealed. */
export const credentialSweep = (kernel: Kernel): Duty =>
  duty({
    name: 'sources.credentials',
    everyMs: 60_000,
    where: 'api',
    perTenant: (tenant) => sweepCredentials(kernel, tenant, new Date()),
  });

/** One sweep, as of `now`. A secret store that fails does not keep rows from being sealed again. */
export async function sweepCredentials(kernel: Kernel, tenant: Tenant, now: Date): Promise<void> {
  const { store, sealer } = kernel.vault;
  try {
    if (store !== undefined) await sweepIntents(kernel, store, tenant, now);
  } finally {
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

/** Seals the rows of a tenant under the present key, so that the previous one can go; `checkSeals` reports those of no key. */
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
     where tenant_id = $1 and split_part(sealed, '.', 2) <> $2 and split_part(sealed, '.', 2) = any ($3::text[])
     limit $4 for update skip locked`,
    [tenantId, sealer.kid, sealer.kids, RESEAL_ROWS],
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
