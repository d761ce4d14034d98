import type { Tenant } from '@weir/kernel';
import type { Snapshot } from '@weir/lakehouse';
import { readCheckpoint } from '../checkpoint/checkpoints.ts';
import { type CommitRequest, quarantineOf, type ResumePoint, type TableRef } from '../contract.ts';
import { commitTables } from './commit.ts';
import { newestOf } from './find-commit.ts';
import { findPending, type Lease } from './pending-commits.ts';
import { loadTables, type TableDeps } from './table-store.ts';

/** A stream as its producer asks for it. */
export interface ResumedStream {
  ref: TableRef;
  streamId: string;
  key: string;
}

/**
 * From where an attempt goes on with a stream. Where a remote catalog has the pointers, a commit whose checkpoint was not
 * stored is first brought to its end, in the name of this attempt: the tables that lack it get it, then the checkpoint.
 */
export async function resumeStream(
  deps: TableDeps,
  tenant: Tenant,
  { lease, stream }: { lease: Lease; stream: ResumedStream },
): Promise<ResumePoint> {
  const db = deps.kernel.db(tenant);
  const follows = deps.remote && (await finishPending(deps, tenant, { lease, stream }));
  return { checkpoint: await db.transaction((tx) => readCheckpoint(tx, stream.key)), follows };
}

async function finishPending(
  deps: TableDeps,
  tenant: Tenant,
  { lease, stream: { ref, streamId } }: { lease: Lease; stream: ResumedStream },
): Promise<NonNullable<ResumePoint['follows']>> {
  const newest = async () => {
    const tables = await loadTables(deps, tenant, [ref, quarantineOf(ref)]);
    return tables.map((table) => table && newestOf(table.metadata, streamId));
  };
  // What the next commits follow is what nothing waits for any more: meanwhile a late attempt may have committed.
  for (;;) {
    const found = await newest();
    const request = await firstPending(deps, tenant, found);
    if (request === undefined) {
      const [rows, quarantine] = found.map((snapshot) => snapshot?.summary['weir.commit-id'] ?? null);
      return { rows: rows ?? null, quarantine: quarantine ?? null };
    }
    await commitTables(deps, tenant, request, lease);
  }
}

/** The first commit of these snapshots whose checkpoint still waits. */
async function firstPending(
  { kernel }: TableDeps,
  tenant: Tenant,
  snapshots: readonly (Snapshot | undefined)[],
): Promise<CommitRequest | undefined> {
  for (const snapshot of snapshots) {
    const [id, attempt] = [snapshot?.summary['weir.commit-id'], snapshot?.summary['weir.attempt']];
    if (id === undefined || attempt === undefined) continue;
    const request = await kernel.db(tenant).transaction((tx) => findPending(tx, { id, attempt }));
    if (request !== undefined) return request;
  }
  return undefined;
}
