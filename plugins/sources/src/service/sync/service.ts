import type { Kernel, RunRecord, Tenant, TenantTransaction } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, type Input, kernelProblems } from '@weir/kernel/contract';
import type { listSyncHistory, SyncRunDetailView } from '../../contract.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';
import { NO_ROWS, StreamRunEntity, SyncRunEntity } from '../../model/sync/entity.ts';
import { syncRunDetailView, syncRunView } from '../../model/sync/view.ts';
import type { HowToStart } from '../discovery/service.ts';
import { refuseInTransaction, refuseUnready } from '../readiness/refuse-start.ts';
import type { FactDeps } from '../readiness/source-facts.ts';
import { liveSource } from '../row/live-source.ts';

const { kind } = SYNC_KIND;

type AlsoAtStart = (tx: TenantTransaction, started: { run_id: string }) => Promise<void>;

/** Starting syncs and reading what they did. */
export function syncService(deps: FactDeps & { kernel: Kernel }) {
  const { kernel } = deps;
  return {
    /**
     * Writes a pending run of the enabled streams; the workflow starts after the commit. What readiness lists as failed
     * and blocking refuses it, then the want of a worker, then an open run. `also` belongs to the start, in its transaction.
     */
    async start(tenant: Tenant, sourceId: string, { requestedBy, queue }: HowToStart, also?: AlsoAtStart) {
      await refuseUnready(deps, tenant, sourceId);
      const admitted = await kernel.runs.admit(kind, { queue });
      return kernel.db(tenant).transaction(async (tx) => {
        const source = await liveSource(tx, sourceId, { lock: true });
        await refuseInTransaction(tx, source, deps);
        const started = await kernel.runs.start(tx, { kind, subjectId: sourceId, requestedBy, admitted });
        const now = new Date();
        await tx.insert(SyncRunEntity, {
          runId: started.run_id,
          sourceId,
          phase: 'waiting',
          attempt: 0,
          ...NO_ROWS,
          createdAt: now,
          updatedAt: now,
        });
        await tx.update(source, { lastRunId: started.run_id });
        await also?.(tx, started);
        return started;
      });
    },

    /** The newest sync, or the one that `runId` names, with its streams; `run` is null before the first. */
    async status(tenant: Tenant, sourceId: string, runId: string | undefined) {
      const source = await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
      const wanted = runId ?? source.lastRunId ?? undefined;
      const run = wanted === undefined ? undefined : await kernel.runs.find(tenant, wanted, kind);
      if (run === undefined || run.subjectId !== sourceId) {
        if (runId !== undefined) throw kernelProblems.notFound();
        return { source_id: sourceId, run: null };
      }
      return { source_id: sourceId, run: await syncDetails(kernel, tenant, run) };
    },

    /** The syncs of a source by keyset page, newest first; from `since` on when it is given. */
    async history(tenant: Tenant, sourceId: string, query: Input<typeof listSyncHistory>['query']) {
      const { status, since, ...request } = query;
      if (since !== undefined && request.order === 'created_at') {
        throw kernelProblems.validationFailed({
          errors: [{ pointer: '/query/order', code: 'not_with_since', message: 'cannot be given with a start time' }],
        });
      }
      await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
      const filter = { kind, subjectId: sourceId, ...(status === undefined ? {} : { status }) };
      const page = await kernel.runs.page(tenant, filter, { limit: DEFAULT_PAGE_SIZE, ...request });
      const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
      const items = page.items.filter(({ createdAt }) => createdAt.getTime() >= from);
      const runIds = items.map((run) => run.runId);
      const rows = await kernel.db(tenant).transaction((tx) => tx.find(SyncRunEntity, { runId: { $in: runIds } }));
      const details = new Map(rows.map((row) => [row.runId, row]));
      return {
        items: items.map((run) => syncRunView(run, details.get(run.runId))),
        next_page_token: items.length < page.items.length ? null : page.next_page_token,
        total: null,
      };
    },
  };
}

/** One sync with its streams and, while it is open, its worker. */
export async function syncDetails(kernel: Kernel, tenant: Tenant, run: RunRecord): Promise<SyncRunDetailView> {
  const worker = await kernel.runs.worker(tenant, run);
  return kernel.db(tenant).transaction(async (tx) => {
    const details = await tx.findOne(SyncRunEntity, { runId: run.runId });
    const streams = await tx.find(StreamRunEntity, { runId: run.runId }, { orderBy: { name: 'asc' } });
    return syncRunDetailView(run, details, { streams, worker });
  });
}
