import type { Kernel, Tenant } from '@weir/kernel';
import type { AuditsService } from '@weir/plugin-datasets/contract';
import { StreamRunEntity } from '../../model/sync/entity.ts';
import type { PlannedStream } from './plan/plan-sync.ts';

/**
 * Counts what a run has left in the tables that it merged into, or out of which it took rows of its own: what is left of a
 * checksum then only the table can tell. A table that cannot be read leaves the figure open.
 */
export async function noteMergedFigures(
  { kernel, audits }: { kernel: Kernel; audits: AuditsService },
  { tenant, runId }: { tenant: Tenant; runId: string },
  streams: readonly Pick<PlannedStream, 'ref' | 'row'>[],
): Promise<void> {
  const db = kernel.db(tenant);
  for (const { ref, row } of streams) {
    const where = { runId, streamId: row.streamId };
    const { snapshotId } = (await db.transaction((tx) => tx.findOne(StreamRunEntity, where))) ?? {};
    if (!snapshotId) continue;
    const counted = await audits.figures(tenant, ref, { runId, snapshotId });
    if (counted.outcome !== 'counted') continue;
    const { checksum, rows: rowsInTable } = counted.figures;
    await db.transaction(async (tx) => {
      const found = await tx.findOne(StreamRunEntity, where);
      if (found !== undefined) await tx.update(found, { checksum, rowsInTable });
    });
  }
}
