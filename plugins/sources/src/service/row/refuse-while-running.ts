import type { Kernel, TenantTransaction } from '@weir/kernel';
import { runProblems } from '@weir/kernel/contract';
import { DISCOVERY_KIND, REPLAY_KIND, SYNC_KIND } from '../../model/run-kinds.ts';

const KINDS = [SYNC_KIND.kind, DISCOVERY_KIND.kind, REPLAY_KIND.kind];

/**
 * Throws `run_already_active` (with member `run_id`) while a sync, a discovery or a replay is open for the source. The caller's
 * transaction holds the lock of the source's row, which every start of a run takes too, so no run can start in between.
 */
export async function refuseWhileRunning(kernel: Kernel, tx: TenantTransaction, sourceId: string): Promise<void> {
  const runId = await kernel.runs.active(tx, KINDS, sourceId);
  if (runId !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: runId } });
}
