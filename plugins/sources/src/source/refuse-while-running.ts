import type { Kernel, Tenant } from '@weir/kernel';
import { runProblems } from '@weir/kernel/contract';
import { DISCOVERY_KIND, SYNC_KIND } from '../run-kinds.ts';

const OPEN = ['pending', 'running'] as const;

/**
 * Throws `run_already_active` (with member `run_id`) while a sync or a discovery is open for the source. The caller holds
 * the lock of the source's row, which every start of a run takes too, so no run can start in between.
 */
export async function refuseWhileRunning(kernel: Kernel, tenant: Tenant, sourceId: string): Promise<void> {
  for (const { kind } of [SYNC_KIND, DISCOVERY_KIND]) {
    for (const status of OPEN) {
      const { items } = await kernel.runs.page(tenant, { kind, subjectId: sourceId, status }, { limit: 1 });
      const run = items[0];
      if (run !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: run.runId } });
    }
  }
}
