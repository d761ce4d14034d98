import { type Duty, duty, type Kernel } from '@weir/kernel';
import { Problem, type RunChanged, runProblems, type Tenant } from '@weir/kernel/contract';
import type { CommittedTable, TableCommitted } from '@weir/plugin-datasets/contract';
import { SYNC_KINDS } from '../../model/backing/sync-kinds.ts';
import type { StartBacking } from './starts.ts';

/** Who asks for the syncs that start by themselves. */
export const SENSOR = 'sensor';
/** A sync that has been pending for so long was not started. */
const OVERDUE_SECONDS = 15;
const RETRY_MINUTES = 5;
const BATCH = 100;

export interface SensorDeps {
  kernel: Pick<Kernel, 'db' | 'log'>;
  start: StartBacking;
}

/** It is in the transaction of every commit. What is pending for another reason stays so. */
const COMMITTED = `
update ontology.backing_dataset set pending_since = coalesce(pending_since, now()),
  pending_snapshot_id = $3::numeric, pending_reason = coalesce(pending_reason, 'new_snapshot')
where tenant_id = $1 and dataset_id = $2`;

const DUE = `
select backing_dataset_id from ontology.backing_dataset
where tenant_id = $1 and dataset_id = $2 and pending_since is not null and sync = 'on_snapshot'`;

const STILL_PENDING = `
select from ontology.backing_dataset
where tenant_id = $1 and backing_dataset_id = $2 and pending_since is not null and sync = 'on_snapshot'`;

/**
 * Pending syncs that nobody starts: none has run, or the last one ended before the newest commit, or failed for a reason that may
 * have passed. One that a person cancelled waits for the next commit.
 */
const OVERDUE = `
select d.backing_dataset_id from ontology.backing_dataset d
left join lateral (
  select run_id, status, ended_at, failure from kernel.run
  where tenant_id = d.tenant_id and kind = any ($2) and subject_id = d.backing_dataset_id
  order by created_at desc, run_id desc limit 1) last on true
left join ontology.sync_run attempt on attempt.tenant_id = d.tenant_id and attempt.run_id = last.run_id
where d.tenant_id = $1 and d.sync = 'on_snapshot' and d.pending_since < now() - make_interval(secs => $3)
  and (last.run_id is null or last.status in ('succeeded', 'skipped')
    or (last.status in ('failed', 'cancelled') and attempt.snapshot_id <> d.pending_snapshot_id)
    or (last.status = 'failed' and last.failure ->> 'retryable' = 'true'
      and last.ended_at < now() - make_interval(mins => $4)))
order by d.pending_since limit $5`;

/** A rewrite of files changes no row, and neither does a change of columns. */
const changesRows = (operation: CommittedTable['operation']): boolean =>
  operation !== 'replace' && operation !== 'schema';

/** Starts a sync when the table of a backing dataset has new data. No schedule of the engine is part of it. */
export function syncSensor({ kernel: { db, log }, start }: SensorDeps) {
  const wake = async (tenant: Tenant, ids: readonly string[]): Promise<void> => {
    for (const id of ids)
      await start(tenant, id, { requestedBy: SENSOR, queue: true }).catch((err: unknown) => {
        const isOpen = err instanceof Problem && err.entry === runProblems.runAlreadyActive.entry;
        if (!isOpen) log.warn({ err, backing_dataset_id: id }, 'a pending sync was not started; the sweep tries again');
      });
  };
  /** Starts the pending syncs of a tenant that nothing has started. */
  const startOverdue = async (tenant: Tenant): Promise<void> => {
    const { rows } = await db(tenant).transaction((tx) =>
      tx.sql(OVERDUE, [tenant.tenantId, SYNC_KINDS, OVERDUE_SECONDS, RETRY_MINUTES, BATCH]),
    );
    await wake(
      tenant,
      rows.map((row) => String(row.backing_dataset_id)),
    );
  };
  return {
    wake,
    startOverdue,

    /** What is pending from then on, also of a tenant that lacks the plugin at the moment. */
    tableCommitted: (async (tx, { datasetId, snapshotId, operation }) => {
      if (changesRows(operation)) await tx.sql(COMMITTED, [tx.tenant.tenantId, datasetId, snapshotId]);
    }) satisfies TableCommitted,

    /** Starts what that made pending. */
    startCommitted: (async (tx, { datasetId, operation }) => {
      if (!changesRows(operation)) return;
      const { rows } = await tx.sql(DUE, [tx.tenant.tenantId, datasetId]);
      const due = rows.map((row) => String(row.backing_dataset_id));
      if (due.length > 0) tx.afterCommit(() => wake(tx.tenant as Tenant, due));
    }) satisfies TableCommitted,

    /** A commit while a run was open is synced by the next one. */
    runChanged: (async (tx, { kind, subject_id: id, status }) => {
      if (!SYNC_KINDS.includes(kind) || (status !== 'succeeded' && status !== 'skipped')) return;
      tx.afterCommit(async () => {
        const { rowCount } = await db(tx.tenant).transaction((own) => own.sql(STILL_PENDING, [tx.tenant.tenantId, id]));
        if (rowCount > 0) await wake(tx.tenant, [id]);
      });
    }) satisfies RunChanged,

    /** Starts what was left, as when a process ended between a commit and its start. */
    sweep: duty({
      name: 'ontology.pending_syncs',
      everyMs: 30_000,
      where: 'api',
      perTenant: startOverdue,
    }) satisfies Duty,
  };
}

export type SyncSensor = ReturnType<typeof syncSensor>;
