import type { Kernel, PageOrders, RunRecord, Tenant } from '@weir/kernel';
import { type Input, kernelProblems, type RunStatus, TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import type { listSyncRunStreams, SyncRunDetailView } from '../../contract.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';
import { StreamRunEntity } from '../../model/sync/entity.ts';
import { streamRunView } from '../../model/sync/view.ts';
import { syncDetails } from './service.ts';

const ORDERS: PageOrders = { orders: { name: 'name' }, first: 'name', id: 'streamId' };
const OPEN: readonly RunStatus[] = ['pending', 'running'];

/** What can be asked of single syncs, by run id or workflow id; those of retired sources stay. */
export function syncRunService(kernel: Kernel) {
  const found = async (tenant: Tenant, id: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, id, SYNC_KIND.kind);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };
  return {
    details: async (tenant: Tenant, id: string): Promise<SyncRunDetailView> =>
      syncDetails(kernel, tenant, await found(tenant, id)),

    /** What a sync did for each stream, by keyset page. A stream of a sync that has ended shows no open status. */
    async streams(tenant: Tenant, id: string, query: Input<typeof listSyncRunStreams>['query']) {
      const run = await found(tenant, id);
      const { status, ...request } = query;
      const where = { runId: run.runId, ...(status === undefined ? {} : { status: { $in: storedAs(run, status) } }) };
      const { items, next_page_token } = await kernel
        .db(tenant)
        .transaction((tx) => tx.page(StreamRunEntity, where, request, ORDERS));
      return { items: items.map((row) => streamRunView(run, row)), next_page_token, total: null };
    },

    /** Asks an open sync to end as cancelled. Throws `run_not_active` for one that has ended. */
    async cancel(tenant: Tenant, id: string) {
      const run = await found(tenant, id);
      const outcome = await kernel.runs.cancel(tenant, run);
      return { run_id: run.runId, workflow_id: run.workflowId, source_id: run.subjectId, outcome };
    },
  };
}

/** The statuses of rows that are shown as this one. */
function storedAs({ status: ofRun }: RunRecord, shown: RunStatus): RunStatus[] {
  if (!TERMINAL_RUN_STATUSES.includes(ofRun)) return [shown];
  if (OPEN.includes(shown)) return [];
  return ofRun === shown ? [shown, ...OPEN] : [shown];
}
