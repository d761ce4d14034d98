import type { TenantTransaction } from '@weir/kernel';
import type { CommitRequest } from '../contract.ts';
import { commitId } from './commit-id.ts';

/** The attempt in whose name something is done. */
export interface Lease {
  runId: string;
  leaseEpoch: number;
}

/**
 * What a snapshot names of its commit: the id, and the attempt that made it, as two attempts that do not know of each
 * other may commit different files under one id, of which the table takes only one.
 */
export interface CommitName {
  id: string;
  attempt: string;
}

/** Keeps a commit, with all that it brings, until it is known to stand: by the name that each of its tables has of it. */
export async function keepPending(tx: TenantTransaction, lease: Lease, request: CommitRequest): Promise<void> {
  const [checkpoint] = request.checkpoints;
  if (checkpoint === undefined) return;
  for (const name of namesOf(request)) {
    await tx.sql(
      `insert into datasets.pending_checkpoint (tenant_id, commit_id, key, run_id, request)
       values ($1, $2, $3, $4, $5::jsonb) on conflict (tenant_id, commit_id, key) do update set request = excluded.request`,
      [tx.tenant.tenantId, name, checkpoint.key, lease.runId, JSON.stringify(request)],
    );
  }
}

/** The commit of this name, if its checkpoint still waits. */
export async function findPending(tx: TenantTransaction, name: CommitName): Promise<CommitRequest | undefined> {
  const { rows } = await tx.sql(
    'select request from datasets.pending_checkpoint where tenant_id = $1 and commit_id = $2 limit 1',
    [tx.tenant.tenantId, keyOf(name)],
  );
  return rows[0]?.request as CommitRequest | undefined;
}

/**
 * Lets a commit go that stands, and with it those of the same checkpoints that cannot come to stand any more; false when
 * it was let go before, and then its checkpoints are older than what is stored.
 */
export async function letPendingGo(tx: TenantTransaction, request: CommitRequest): Promise<boolean> {
  const names = namesOf(request);
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

/** Those of some runs that have a commit which may yet be brought to its end. */
export async function runsOfPending(tx: TenantTransaction, runIds: readonly string[]): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const { rows } = await tx.sql(
    `select distinct run_id from datasets.pending_checkpoint
     where tenant_id = $1 and run_id in (select jsonb_array_elements_text($2::jsonb)::uuid)`,
    [tx.tenant.tenantId, JSON.stringify(runIds)],
  );
  return new Set(rows.map((row) => String(row.run_id)));
}

/** The names of a commit: its tables may be of several streams. */
function namesOf({ runId, tables }: CommitRequest): string[] {
  const names = tables.map((commit) => keyOf({ id: commitId(runId, commit), attempt: String(commit.attempt) }));
  return [...new Set(names)];
}

function keyOf({ id, attempt }: CommitName): string {
  return `${id}@${attempt}`;
}
