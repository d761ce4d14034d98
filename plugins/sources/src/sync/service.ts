import type { Kernel, Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { type listSyncHistory, sourceProblems } from '../contract.ts';
import { SYNC_KIND } from '../run-kinds.ts';
import { liveSource } from '../source/live-source.ts';
import { sourceAfter } from '../source/transitions.ts';
import { StreamEntity } from '../stream/entity.ts';
import { settingsOf } from '../stream/service.ts';
import { checkStream } from '../stream/stream-rules.ts';
import { NO_ROWS, StreamRunEntity, SyncRunEntity } from './entity.ts';
import { syncRunDetailView, syncRunView } from './view.ts';

const { kind } = SYNC_KIND;

/** Starting syncs and reading what they did. */
export function syncService(kernel: Kernel) {
  return {
    /** Writes a pending run of the enabled streams; the workflow starts after the commit. */
    async start(tenant: Tenant, sourceId: string, requestedBy: string) {
      const admitted = await kernel.runs.admit(kind);
      return kernel.db(tenant).transaction(async (tx) => {
        const source = await liveSource(tx, sourceId, { lock: true });
        sourceAfter(source.status, 'sync_started');
        const streams = await tx.find(StreamEntity, { sourceId, enabled: true });
        if (streams.length === 0) throw sourceProblems.noStreamsEnabled();
        for (const stream of streams) checkStream(settingsOf(stream));
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
      return kernel.db(tenant).transaction(async (tx) => {
        const details = await tx.findOne(SyncRunEntity, { runId: run.runId });
        const streams = await tx.find(StreamRunEntity, { runId: run.runId }, { orderBy: { name: 'asc' } });
        return { source_id: sourceId, run: syncRunDetailView(run, details, streams) };
      });
    },

    /** The syncs of a source by keyset page, newest first. */
    async history(tenant: Tenant, sourceId: string, query: Input<typeof listSyncHistory>['query']) {
      await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
      const { status, ...request } = query;
      const filter = { kind, subjectId: sourceId, ...(status === undefined ? {} : { status }) };
      const { items, next_page_token } = await kernel.runs.page(tenant, filter, request);
      const runIds = items.map((run) => run.runId);
      const rows = await kernel.db(tenant).transaction((tx) => tx.find(SyncRunEntity, { runId: { $in: runIds } }));
      const details = new Map(rows.map((row) => [row.runId, row]));
      return { items: items.map((run) => syncRunView(run, details.get(run.runId))), next_page_token, total: null };
    },
  };
}
