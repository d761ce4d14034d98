import { type Kernel, type Repetition, repeat } from '@weir/kernel';

const SWEEP_EVERY_MS = 60_000;

/** Deletes configurations of discoveries that have outlived their hour, tenant by tenant, until it is stopped. */
export function startConfigSweeper(kernel: Kernel): Repetition {
  return repeat(
    SWEEP_EVERY_MS,
    () => sweepConfigs(kernel, new Date()),
    (err) => kernel.log.warn({ err }, 'expired discovery configurations could not be deleted; tried again in a minute'),
  );
}

/** How long rows that a person looked at are kept: as long as an upload that no source names. */
export const LOOK_LIFE_MS: number = 24 * 60 * 60 * 1_000;

/** One sweep: what expired before `now` loses its configuration and its credentials, and after a day what it has shown. */
export async function sweepConfigs(kernel: Kernel, now: Date): Promise<void> {
  for (const tenant of await kernel.tenants.list()) {
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
}
