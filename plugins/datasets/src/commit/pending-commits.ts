import type { TenantTransaction } from '@weir/kernel';
import type { CommitRequest, TableRef } from '../contract.ts';
import { commitNames } from './commit-id.ts';

/** The attempt in whose name something is done. */
export interface Lease {
  runId: string;
  leaseEpoch: number;
}

/** A commit whose checkpoints are not stored, by one of its names. */
export interface PendingCommit {
  name: string;
  request: CommitRequest;
}

/** Keeps a commit, with all that it brings, until it is known to stand: by the name that each of its tables has of it. */
export async function keepPending(tx: TenantTransaction, lease: Lease, request: CommitRequest): Promise<void> {
  const [checkpoint] = request.checkpoints;
  if (checkpoint === undefined) return;
  for (const name of commitNames(request)) {
    await tx.sql(
      `insert into datasets.pending_checkpoint (tenant_id, commit_id, key, run_id, request)
       values ($1, $2, $3, $4, $5::jsonb) on conflict (tenant_id, commit_id, key) do update set request = excluded.request`,
      [tx.tenant.tenantId, name, checkpoint.key, lease.runId, JSON.stringify(request)],
    );
  }
}

/** The open commits that bring a stream to one of these tables, or its checkpoint: by each of their names. */
export async function findPending(
  tx: TenantTransaction,
  { streamId, refs, key }: { streamId: string; refs: readonly TableRef[]; key: string },
): Promise<PendingCommit[]> {
  const changes = refs.map(({ namespace, table }) => ({ tables: [{ streamId, ref: { namespace, table } }] }));
  const wanted = [...changes, { checkpoints: [{ key }] }];
  const { rows } = await tx.sql(
    `select commit_id, request from datasets.pending_checkpoint
     where tenant_id = $1 and request @> any (array(select jsonb_array_elements($2::jsonb)))
     order by created_at, commit_id`,
    [tx.tenant.tenantId, JSON.stringify(wanted)],
  );
  return rows.map((row) => ({ name: String(row.commit_id), request: row.request as CommitRequest }));
}

/** Forgets commits that cannot come to stand any more. */
export async function dropPending(tx: TenantTransaction, commits: readonly PendingCommit[]): Promise<void> {
  await tx.sql(
    `delete from datasets.pending_checkpoint
     where tenant_id = $1 and commit_id in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify(commits.map(({ name }) => name))],
  );
}

/**
 * Lets a commit go that stands, and with it those of the same checkpoints that cannot come to stand any more; false when
 * it was let go before, and then its checkpoints are older than what is stored.
 */
export async function letPendingGo(tx: TenantTransaction, request: CommitRequest): Promise<boolean> {
  const names = commitNames(request);
  if (names.length === 0 || request.checkpoints.length === 0) return true;
  const { rowCount } = await tx.sql(
    `delete from datasets.pending_checkpoint
     where tenant_id = $1 and commit_id in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify(names)],
  );
  if (rowCount === 0) return false;
  await tx.sql(
    `delete from datasets.pending_checkpoint
     where tenant_id = $1 and key in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify(request.checkpoints.map(({ key }) => key))],
  );
  return true;
}

/** Those of some runs that have a commit which may yet be brought to its end, or rows in one of another run. */
export async function runsOfPending(tx: TenantTransaction, runIds: readonly string[]): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const { rows } = await tx.sql(
    `select distinct owner as run_id from datasets.pending_checkpoint,
       lateral (select run_id::text as owner
                union select change ->> 'runId' from jsonb_array_elements(request -> 'tables') as change) as owners
     where tenant_id = $1 and owner in (select jsonb_array_elements_text($2::jsonb))`,
    [tx.tenant.tenantId, JSON.stringify(runIds)],
  );
  return new Set(rows.map((row) => String(row.run_id)));
}
