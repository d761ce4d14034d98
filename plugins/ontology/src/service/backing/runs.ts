import { Readable } from 'node:stream';
import { type Kernel, type PageOrders, type RunRecord, raw, runView, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import type { listSyncRuns, readSyncRunLog, SyncRunItemView, SyncRunView } from '../../contract/backing/runs.ts';
import { SyncRunEntity, type SyncRunRow } from '../../model/rows.ts';
import { foundBacking, numeric } from './rows.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };

export interface SyncRunDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  logs: Pick<RunLogsService, 'page' | 'download'>;
}

interface Named {
  id: string;
  runId: string;
}

/** Reading the runs of backing datasets. */
export function syncRunService({ kernel, logs }: SyncRunDeps) {
  const { db } = kernel;
  const found = async (tx: TenantTransaction, { id, runId }: Named) => {
    await foundBacking(tx, id);
    const row = await tx.findOne(SyncRunEntity, { runId, backingDatasetId: id });
    const [run] = row === undefined ? [] : await kernel.runs.findMany(tx, [runId]);
    if (row === undefined || run === undefined) throw kernelProblems.notFound();
    return { row, run };
  };
  const readable = async (tenant: Tenant, named: Named) => {
    const { run } = await db(tenant).transaction((tx) => found(tx, named));
    return { runId: run.runId, isTerminal: run.endedAt !== undefined, endedAt: run.endedAt };
  };
  return {
    list: (
      tenant: Tenant,
      id: string,
      query: Input<typeof listSyncRuns>['query'],
    ): Promise<Output<typeof listSyncRuns>> =>
      db(tenant).transaction(async (tx) => {
        await foundBacking(tx, id);
        const page = await tx.page(SyncRunEntity, { backingDatasetId: id }, query ?? {}, ORDERS);
        const ids = page.items.map(({ runId }) => runId);
        const runs = new Map((await kernel.runs.findMany(tx, ids)).map((run) => [run.runId, run]));
        const synced = await syncedRows(tx, ids);
        const items = page.items.flatMap((row) => {
          const run = runs.get(row.runId);
          return run === undefined ? [] : [headView(run, row, synced.get(row.runId) ?? 0)];
        });
        return { items, next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, named: Named): Promise<SyncRunView> =>
      db(tenant).transaction(async (tx) => {
        const { row, run } = await found(tx, named);
        const jobs = await bulkJobs(tx, named.runId);
        const synced = jobs.reduce((total, { completed_count }) => total + completed_count, 0);
        const { read, upserted, deleted, unchanged, rejected } = row.counts;
        const whole = {
          ...headView(run, row, synced),
          previous_snapshot_id_exact: row.previousSnapshotId ?? null,
          counts: { read, upserted, deleted, unchanged, rejected },
        };
        return row.contract === 1 ? whole : { ...whole, bulk_jobs: jobs };
      }),

    async log(
      tenant: Tenant,
      named: Named,
      {
        query,
        mediaType,
        signal,
      }: { query: Input<typeof readSyncRunLog>['query']; mediaType: string; signal: AbortSignal },
    ) {
      const { download = false, ...asked } = query ?? {};
      if (!download) return logs.page(tenant, asked, { find: () => readable(tenant, named), signal });
      const { limit: _, page_token: __, order: ___, after: ____, wait_seconds: _____, ...filters } = asked;
      const { type, headers, body } = logs.download(tenant, filters, { run: await readable(tenant, named), mediaType });
      return raw({ type, headers, body: Readable.from(body, { objectMode: false }) });
    },
  };
}

export type SyncRunService = ReturnType<typeof syncRunService>;

/** Members of V2 are left out of a run by another contract. */
function headView(run: RunRecord, row: SyncRunRow, rows_synced: number): SyncRunItemView {
  const { workflow_id: _, attempt: __, ...facts } = runView(run);
  const exact = row.snapshotId ?? null;
  const head = {
    ...facts,
    backing_dataset_id: row.backingDatasetId,
    contract: row.contract,
    mode: row.mode ?? null,
    snapshot_id: numeric(exact),
    snapshot_id_exact: exact,
    rows_synced,
  };
  if (row.contract === 1) return head;
  return {
    ...head,
    force: row.force,
    replay_reason: row.replayReason ?? null,
    effective_spec_changed: row.effectiveSpecChanged ?? null,
    attempted_sync_spec_fingerprint: row.attemptedSyncSpecFingerprint ?? null,
    applied_sync_spec_fingerprint: row.appliedSyncSpecFingerprint ?? null,
  };
}

const JOBS = `
select job_id, operation, sum(submitted)::int as submitted_count, sum(completed)::int as completed_count
from ontology.bulk_chunk where tenant_id = $1 and run_id = $2
group by job_id, operation order by operation desc, min(seq), job_id`;

async function bulkJobs(tx: TenantTransaction, runId: string): Promise<NonNullable<SyncRunView['bulk_jobs']>> {
  const { rows } = await tx.sql(JOBS, [tx.tenant.tenantId, runId]);
  return rows.map(({ job_id, operation, submitted_count, completed_count }) => ({
    job_id: String(job_id),
    operation: operation as 'upsert' | 'delete',
    submitted_count: Number(submitted_count),
    completed_count: Number(completed_count),
  }));
}

const SYNCED = `
select run_id, sum(completed)::int as completed from ontology.bulk_chunk
where tenant_id = $1 and run_id = any ($2::uuid[]) group by run_id`;

async function syncedRows(tx: TenantTransaction, runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.sql(SYNCED, [tx.tenant.tenantId, runIds]);
  return new Map(rows.map(({ run_id, completed }) => [String(run_id), Number(completed)]));
}
