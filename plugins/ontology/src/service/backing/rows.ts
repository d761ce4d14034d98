import type { FilterQuery } from '@mikro-orm/core';
import type { Kernel, PageOrders, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type RunStatus, type Tenant } from '@weir/kernel/contract';
import type { RunSubjects } from '@weir/plugin-runs/contract';
import type { BackingDatasetItemView, BackingDatasetView } from '../../contract/backing/backing-datasets.ts';
import type { BackingDocumentView } from '../../contract/backing/document.ts';
import { BACKING_SUBJECT, type listPendingSyncs, type PendingSyncView } from '../../contract/backing/state.ts';
import { SYNC_KINDS } from '../../model/backing/sync-kinds.ts';
import { BackingDatasetEntity, type BackingDatasetRow } from '../../model/rows.ts';
import { pageAcross } from '../page-across.ts';

/** The backing dataset; `not_found` for absent and foreign ids alike. */
export async function foundBacking(
  tx: TenantTransaction,
  backingDatasetId: string,
  options?: { lock: boolean },
): Promise<BackingDatasetRow> {
  const row = await tx.findOne(BackingDatasetEntity, { backingDatasetId }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** The document of a backing dataset, with every member. */
export const documentOf = ({ name, spec, maxRejectedRows, sync }: BackingDatasetRow): BackingDocumentView => ({
  name,
  ...spec,
  max_rejected_rows: maxRejectedRows,
  sync,
});

/** The newest run of a backing dataset. */
export interface LastRun {
  runId: string;
  status: RunStatus;
  endedAt: Date | null;
  failure: { code: string; detail: string; retryable: boolean } | null;
}

const LAST_RUNS = `
select last.* from unnest($3::uuid[]) as wanted (subject_id) cross join lateral (
  select subject_id, run_id, status, ended_at, failure from kernel.run
  where tenant_id = $1 and kind = any ($2) and subject_id = wanted.subject_id
  order by created_at desc, run_id desc limit 1) last`;

/** The newest runs of these backing datasets, by their ids. */
export async function lastRuns(tx: TenantTransaction, ids: readonly string[]): Promise<ReadonlyMap<string, LastRun>> {
  const { rows } = await tx.sql(LAST_RUNS, [tx.tenant.tenantId, SYNC_KINDS, ids]);
  return new Map(
    rows.map((row) => [
      String(row.subject_id),
      {
        runId: String(row.run_id),
        status: row.status as RunStatus,
        endedAt: row.ended_at === null ? null : new Date(row.ended_at as string),
        failure: row.failure as LastRun['failure'],
      },
    ]),
  );
}

const OPEN: readonly RunStatus[] = ['pending', 'running'];

/** Whether the entities are those of the table, or what keeps them from it. */
export function stateOf({ pendingSince }: BackingDatasetRow, last: LastRun | undefined): BackingDatasetView['state'] {
  if (last !== undefined && OPEN.includes(last.status)) return 'syncing';
  if (!pendingSince) return 'in_step';
  return last?.status === 'failed' ? 'blocked' : 'pending';
}

/** A snapshot id as a number with all its digits, beside its exact twin. */
export const numeric = (exact: string | null | undefined): bigint | null => (exact ? BigInt(exact) : null);

const headView = (tx: TenantTransaction, row: BackingDatasetRow, last: LastRun | undefined) => ({
  backing_dataset_id: row.backingDatasetId,
  tenant: tx.tenant.alias,
  state: stateOf(row, last),
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  etag: String(row.etag),
});

/** Backing datasets as lists show them. */
export async function itemViews(
  tx: TenantTransaction,
  rows: readonly BackingDatasetRow[],
): Promise<BackingDatasetItemView[]> {
  const last = await lastRuns(
    tx,
    rows.map(({ backingDatasetId }) => backingDatasetId),
  );
  return rows.map((row) => {
    const run = last.get(row.backingDatasetId);
    const { property_mappings, primary_key_mapping: _, relationship_mappings: __, ...document } = documentOf(row);
    return {
      ...document,
      ...headView(tx, row, run),
      properties_count: property_mappings.length,
      last_run_id: run?.runId ?? null,
    };
  });
}

/** The whole of a backing dataset but the fingerprint of what a sync would attempt now. */
export async function wholeView(
  tx: TenantTransaction,
  row: BackingDatasetRow,
): Promise<Omit<BackingDatasetView, 'current_sync_spec_fingerprint'>> {
  const last = (await lastRuns(tx, [row.backingDatasetId])).get(row.backingDatasetId);
  const { appliedSyncSpecFingerprint: fingerprint, appliedRunId: run_id, appliedAt: at } = row;
  const exact = row.appliedSnapshotId ?? null;
  const applied = fingerprint &&
    run_id &&
    at && {
      sync_spec_fingerprint: fingerprint,
      snapshot_id: numeric(exact),
      snapshot_id_exact: exact,
      run_id,
      at: at.toISOString(),
    };
  return { ...documentOf(row), ...headView(tx, row, last), applied: applied || null };
}

/** How the runs of backing datasets are named. */
export const runNames = ({ db }: Pick<Kernel, 'db'>): RunSubjects => ({
  subject: BACKING_SUBJECT,
  kinds: SYNC_KINDS,
  async names(tenant, ids) {
    const where = { backingDatasetId: { $in: [...ids] } };
    const rows = await db(tenant).transaction((tx) => tx.find(BackingDatasetEntity, where));
    return new Map(rows.map(({ backingDatasetId, name }) => [backingDatasetId, name]));
  },
});

const PENDING_ORDERS: PageOrders = { orders: { since: 'pendingSince' }, first: 'since', id: 'backingDatasetId' };

/** Syncs that are due, over all these tenants, one after the other. */
export const pendingSyncs =
  ({ db }: Pick<Kernel, 'db'>) =>
  (of: readonly Tenant[], query: Input<typeof listPendingSyncs>['query']) => {
    const request = query ?? {};
    const list = ['ontology.pending_syncs', request.order];
    const where = { pendingSince: { $ne: null } } as FilterQuery<BackingDatasetRow>;
    return pageAcross(of, { list, request }, (tenant, page) =>
      db(tenant).transaction(async (tx) => {
        const { items, next_page_token } = await tx.page(BackingDatasetEntity, where, page, PENDING_ORDERS);
        return { items: items.map((row) => pendingView(tenant, row)), next_page_token };
      }),
    );
  };

function pendingView({ alias }: Tenant, row: BackingDatasetRow): PendingSyncView {
  const [exact, applied] = [row.pendingSnapshotId ?? null, row.appliedSnapshotId ?? null];
  return {
    backing_dataset_id: row.backingDatasetId,
    tenant: alias,
    name: row.name,
    reason: row.pendingReason ?? 'new_snapshot',
    sync: row.sync,
    snapshot_id: numeric(exact),
    snapshot_id_exact: exact,
    applied_snapshot_id: numeric(applied),
    applied_snapshot_id_exact: applied,
    since: (row.pendingSince ?? row.updatedAt).toISOString(),
  };
}
