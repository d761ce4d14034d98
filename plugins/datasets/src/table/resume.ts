import type { Tenant } from '@weir/kernel';
import { readCheckpoint } from '../checkpoint/checkpoints.ts';
import { quarantineOf, type ResumePoint, type TableRef } from '../contract.ts';
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
  for (const snapshot of await newest()) {
    const [id, attempt] = [snapshot?.summary['weir.commit-id'], snapshot?.summary['weir.attempt']];
    if (id === undefined || attempt === undefined) continue;
    const request = await deps.kernel.db(tenant).transaction((tx) => findPending(tx, { id, attempt }));
    if (request !== undefined) await commitTables(deps, tenant, request, lease);
  }
  const [rows, quarantine] = (await newest()).map((snapshot) => snapshot?.summary['weir.commit-id'] ?? null);
  return { rows: rows ?? null, quarantine: quarantine ?? null };
}
