import { type Duty, duty, type Kernel, type Tenant } from '@weir/kernel';

/** Deletes configurations of discoveries that have outlived their hour. */
export const configSweep = (kernel: Pick<Kernel, 'db'>): Duty =>
  duty({
    name: 'sources.discovery_configs',
    everyMs: 60_000,
    where: 'api',
    perTenant: (tenant) => sweepConfigs(kernel, tenant, new Date()),
  });

/** How long rows that a person looked at are kept: as long as an upload that no source names. */
export const LOOK_LIFE_MS: number = 24 * 60 * 60 * 1_000;

/** One sweep: what expired before `now` loses its configuration and its credentials, and after a day what it has shown. */
export async function sweepConfigs(kernel: Pick<Kernel, 'db'>, tenant: Tenant, now: Date): Promise<void> {
  await kernel.db(tenant).transaction(async (tx) => {
    await tx.sql(
      'update sources.discovery set looks = null where tenant_id = $1 and looks is not null and created_at < $2',
      [tenant.tenantId, new Date(now.getTime() - LOOK_LIFE_MS)],
    );
    await tx.sql(
      `update sources.discovery set source_config = null, sealed = null, credential_id = null, expires_at = null
         where tenant_id = $1 and expires_at < $2`,
      [tenant.tenantId, now],
    );
  });
}
