import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { InputsService } from '@weir/plugin-datasets/contract';
import type { BackingDatasetRow, SyncRunRow } from '../../model/rows.ts';
import type { SyncLineage } from '../../model/sync/words.ts';

/** The name under which a backing dataset keeps its applied snapshot. */
export const readerOf = (backingDatasetId: string): string => `backing-dataset:${backingDatasetId}`;

const APPLIED = `
update ontology.backing_dataset d
set applied_sync_spec_fingerprint = r.attempted_sync_spec_fingerprint, applied_snapshot_id = r.snapshot_id,
  applied_run_id = r.run_id, applied_at = now(), dirty_run_id = null
from ontology.sync_run r
where r.tenant_id = $1 and r.run_id = $2 and d.tenant_id = r.tenant_id and d.backing_dataset_id = r.backing_dataset_id`;

/** The same rows in another snapshot. */
const MOVED = `
update ontology.backing_dataset d set applied_snapshot_id = r.snapshot_id
from ontology.sync_run r
where r.tenant_id = $1 and r.run_id = $2 and d.tenant_id = r.tenant_id and d.backing_dataset_id = r.backing_dataset_id`;

/** What the run was to do is done, unless the document has changed since or the table has moved. */
const IN_STEP = `
update ontology.backing_dataset d set pending_since = null, pending_snapshot_id = null, pending_reason = null
from ontology.sync_run r
where r.tenant_id = $1 and r.run_id = $2 and d.tenant_id = r.tenant_id and d.backing_dataset_id = r.backing_dataset_id
  and d.spec = r.spec and d.pending_snapshot_id is not distinct from r.pending_snapshot_id`;

const NOTED = `
update ontology.sync_run set applied_sync_spec_fingerprint = attempted_sync_spec_fingerprint, lineage = $3::jsonb
where tenant_id = $1 and run_id = $2`;

/**
 * Ends a run that has brought its entities in step, in the one transaction that moves what is applied. Throws `lease_lost`. False
 * for a run that has ended.
 */
export async function finishSync(
  { kernel, inputs }: { kernel: Pick<Kernel, 'db' | 'runs'>; inputs: InputsService },
  { tenant, runId, leaseEpoch }: { tenant: Tenant; runId: string; leaseEpoch: number },
  { run, backing }: { run: SyncRunRow; backing: BackingDatasetRow },
): Promise<boolean> {
  const isSkipped = run.mode === 'skip';
  const asked = [{ datasetId: run.spec.dataset_id, snapshotId: run.snapshotId ?? null }];
  // A snapshot that is gone keeps nothing: the next run compares all rows.
  const pins = await inputs.pin(tenant, asked).catch(() => []);
  return kernel.runs.finish(
    tenant,
    runId,
    { status: isSkipped ? 'skipped' : 'succeeded' },
    {
      before: (tx) => kernel.runs.assertLease(tx, runId, leaseEpoch),
      async after(tx: TenantTransaction) {
        const at = [tenant.tenantId, runId];
        await tx.sql(isSkipped ? MOVED : APPLIED, at);
        await tx.sql(IN_STEP, at);
        await tx.sql(NOTED, [...at, JSON.stringify(lineageOf(run))]);
        await inputs.mark(tx, readerOf(backing.backingDatasetId), pins);
        await inputs.release(tx, runId);
        await faultpoint('O8');
      },
    },
  );
}

function lineageOf({ spec, snapshotId = null }: SyncRunRow): SyncLineage {
  const { dataset_id, entity_type_code, entity_type_version, property_mappings } = spec;
  const columns = property_mappings.flatMap(({ column, property }) =>
    column === undefined ? [] : [{ column, property }],
  );
  return { dataset_id, snapshot_id: snapshotId, entity_type_code, entity_type_version, columns };
}
