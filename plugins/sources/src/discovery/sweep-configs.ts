import type { Kernel } from '@weir/kernel';

const SWEEP_EVERY_MS = 60_000;

/** Deletes configurations of discoveries that have outlived their hour, tenant by tenant. Returns how to stop it. */
export function startConfigSweeper(kernel: Kernel): () => void {
  const timer = setInterval(() => {
    sweepConfigs(kernel, new Date()).catch((error: unknown) => {
      kernel.log.warn({ err: error }, 'expired discovery configurations could not be deleted; tried again in a minute');
    });
  }, SWEEP_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** One sweep: what expired before `now` loses its configuration and its credentials. */
export async function sweepConfigs(kernel: Kernel, now: Date): Promise<void> {
  for (const tenant of await kernel.tenants.list()) {
    await kernel.db(tenant).transaction((tx) =>
      tx.sql(
        `update sources.discovery set source_config = null, sealed = null, credential_id = null, expires_at = null
           where tenant_id = $1 and expires_at < $2`,
        [tenant.tenantId, now],
      ),
    );
  }
}
