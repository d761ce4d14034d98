import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import { logEnd, type Outcome, type RunLogWriters } from '@weir/work';
import { leavesNothingOut } from '../../model/notes/read-notes.ts';
import { SourceEntity } from '../../model/source/entity.ts';
import { sourceAfter } from '../../model/source/transitions.ts';
import { SyncRunEntity } from '../../model/sync/entity.ts';
import { lockSource } from '../../service/row/live-source.ts';

/** Makes a sync terminal, with its verdict and, on success, the source active. A run that has ended stays as it is. */
export async function finishSync(
  { kernel, runLogs }: { kernel: Kernel; runLogs: RunLogWriters },
  { tenant, runId, outcome }: { tenant: Tenant; runId: string; outcome: Outcome },
): Promise<void> {
  await logEnd({ kernel, runLogs }, tenant, runId, outcome);
  const runOf = (tx: TenantTransaction) => tx.findOne(SyncRunEntity, { runId });
  const after = async (tx: TenantTransaction) => {
    const run = await runOf(tx);
    if (run === undefined) return;
    const isSuccess = outcome.status === 'succeeded';
    const rejects = run.rowsRejected + run.rowsWithErrors > 0 || (isSuccess && !leavesNothingOut(run));
    const clean = isSuccess ? ('clean' as const) : null;
    const verdict = rejects ? ('with_rejects' as const) : clean;
    await tx.update(run, { phase: 'ended', verdict, updatedAt: new Date() });
    const source = await tx.findOne(SourceEntity, { sourceId: run.sourceId }, { lock: true });
    if (source === undefined || outcome.status !== 'succeeded') return;
    const status = sourceAfter(source.status, 'sync_succeeded');
    if (status !== source.status) {
      await tx.update(source, { status, version: source.version + 1, updatedAt: new Date() });
    }
  };
  await faultpoint('S14');
  await kernel.runs.finish(tenant, runId, outcome, {
    before: async (tx) => lockSource(tx, (await runOf(tx))?.sourceId),
    after,
  });
}
