import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import type { LineageColumnView } from '../contract/artifacts.ts';

/** Keeps where the columns of a run come from: its inputs may have other columns than when it was hydrated. */
export async function keepLineage(
  { db }: Pick<Kernel, 'db'>,
  { tenant, run }: { tenant: Tenant; run: RunRecord },
  lineage: readonly LineageColumnView[],
): Promise<void> {
  await db(tenant).transaction((tx) =>
    tx.sql('update transforms.transform_run set lineage = $3::json where tenant_id = $1 and run_id = $2', [
      ...[tenant.tenantId, run.runId, JSON.stringify(lineage)],
    ]),
  );
}
