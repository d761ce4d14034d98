import type { TenantTransaction } from '@weir/kernel';

const KEPT = ['bulk_chunk', 'bulk_job', 'sync_run'] as const;

/** Removes what is kept of runs that are deleted. */
export async function dropRuns(tx: TenantTransaction, runIds: readonly string[]): Promise<void> {
  for (const table of KEPT)
    await tx.sql(`delete from ontology.${table} where tenant_id = $1 and run_id = any ($2::uuid[])`, [
      tx.tenant.tenantId,
      runIds,
    ]);
}
