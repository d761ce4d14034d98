import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { MAX_PAGE_SIZE } from '@weir/kernel/contract';
import { MAX_STATS_RUNS, type SyncStatsView } from '../../contract.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';
import { SyncRunEntity } from '../../model/sync/entity.ts';
import { statsOf } from '../../model/sync/stats.ts';
import { liveSource } from '../row/live-source.ts';

/** Statistics over the syncs of a source. */
export function statsService(kernel: Kernel) {
  return {
    /** Of the syncs since then, the newest `MAX_STATS_RUNS` at most. */
    async stats(tenant: Tenant, sourceId: string, since: string | undefined): Promise<SyncStatsView> {
      await kernel.db(tenant).transaction((tx) => liveSource(tx, sourceId));
      const { runs, truncated } = await newestRuns(kernel, tenant, { sourceId, since });
      const runIds = runs.map(({ runId }) => runId);
      const rows = await kernel.db(tenant).transaction((tx) => tx.find(SyncRunEntity, { runId: { $in: runIds } }));
      const counters = new Map(rows.map((row) => [row.runId, row]));
      return statsOf({ sourceId, since, runs, counters, truncated });
    },
  };
}

async function newestRuns(
  kernel: Kernel,
  tenant: Tenant,
  { sourceId, since }: { sourceId: string; since: string | undefined },
): Promise<{ runs: RunRecord[]; truncated: boolean }> {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const filter = { kind: SYNC_KIND.kind, subjectId: sourceId };
  const runs: RunRecord[] = [];
  let token: string | null = null;
  do {
    const request = { limit: MAX_PAGE_SIZE, ...(token === null ? {} : { page_token: token }) };
    const page: { items: RunRecord[]; next_page_token: string | null } = await kernel.runs.page(
      tenant,
      filter,
      request,
    );
    const inside = page.items.filter(({ createdAt }) => createdAt.getTime() >= from);
    runs.push(...inside);
    token = inside.length < page.items.length ? null : page.next_page_token;
  } while (token !== null && runs.length < MAX_STATS_RUNS);
  return { runs: runs.slice(0, MAX_STATS_RUNS), truncated: token !== null };
}
