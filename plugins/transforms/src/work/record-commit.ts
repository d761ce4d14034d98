import type { Tenant } from '@weir/kernel';
import type { TableRef } from '@weir/plugin-datasets/contract';
import type { WorkLog } from '@weir/work';
import { ArtifactEntity, TransformRunEntity } from '../model/entities.ts';
import { markOf } from '../model/why-run.ts';
import type { CarryOutDeps } from './transform-attempt.ts';

/** Snapshots among which that of a run is looked for. */
export const NEWEST_SNAPSHOTS = 50;

/** Whose attempt records: that of a run, or of its whole. */
interface Recording {
  tenant: Tenant;
  lease: { runId: string; leaseEpoch: number };
  log: WorkLog;
}

interface Committed {
  ref: TableRef;
  runId: string;
  transformId: string;
  /** Rows that it wrote, in decimal digits. */
  rows: unknown;
  /** The next run reads on from where the one before this did. */
  isOfPartitions?: boolean;
}

/** Keeps what a commit made beside its run, and marks the snapshot from which the next run reads on. */
export async function recordCommit(
  { kernel, tables, inputs }: Pick<CarryOutDeps, 'kernel' | 'tables' | 'inputs'>,
  { tenant, lease, log }: Recording,
  { ref, runId, transformId, rows, isOfPartitions = false }: Committed,
): Promise<void> {
  const snapshots = await tables.snapshots(tenant, ref, { limit: NEWEST_SNAPSHOTS });
  const snapshotId = snapshots.find((snapshot) => snapshot.runId === runId)?.snapshotId ?? null;
  const incremental = await kernel.db(tenant).transaction(async (tx) => {
    const row = await tx.findOne(TransformRunEntity, { runId });
    const artifact = row?.artifactId ? await tx.findOne(ArtifactEntity, { artifactId: row.artifactId }) : undefined;
    const read = row?.inputs.find(({ dataset_id: id }) => id === artifact?.content.incremental);
    return read === undefined ? [] : [{ datasetId: read.dataset_id, snapshotId: read.snapshot_id }];
  });
  const pins = await inputs.pin(tenant, incremental);
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, lease.runId, lease.leaseEpoch);
    await tx.sql(
      'update transforms.transform_run set output_snapshot_id = $3, row_count = $4 where tenant_id = $1 and run_id = $2',
      [tenant.tenantId, runId, snapshotId, rows ?? null],
    );
    if (!isOfPartitions) await inputs.mark(tx, markOf(transformId), pins);
  });
  log.write({
    level: 'info',
    step: 'commit',
    message: `${ref.namespace}.${ref.table} is at snapshot ${snapshotId ?? 'none'}`,
  });
}
