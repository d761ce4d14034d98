import { type OpenCommit, recoveryOf } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import type { Snapshot } from '@weir/lakehouse';
import { readCheckpoint } from '../checkpoint/checkpoints.ts';
import { commitTables } from '../commit/commit.ts';
import { commitName, nameOfSnapshot } from '../commit/commit-id.ts';
import { newestOf } from '../commit/find-commit.ts';
import { dropPending, findPending, type Lease, type PendingCommit } from '../commit/pending-commits.ts';
import { quarantineOf, type ResumePoint, type TableCommit, type TableRef } from '../contract.ts';
import { type CurrentTable, loadTables, type TableDeps } from '../store/table-store.ts';

/** A stream as its producer asks for it. */
export interface ResumedStream {
  ref: TableRef;
  streamId: string;
  key: string;
}

/**
 * From where an attempt goes on with a stream. Where a remote catalog has the pointers, the attempt first closes what
 * earlier ones left open: a commit that a table has is brought to its end in the name of this attempt, first the tables
 * that lack it, then the checkpoint; any other can never land from then on.
 */
export async function resumeStream(
  deps: TableDeps,
  tenant: Tenant,
  { lease, stream }: { lease: Lease; stream: ResumedStream },
): Promise<ResumePoint> {
  const db = deps.kernel.db(tenant);
  const follows = deps.remote && (await closePending(deps, tenant, { lease, stream }));
  return { checkpoint: await db.transaction((tx) => readCheckpoint(tx, stream.key)), follows };
}

type Follows = NonNullable<ResumePoint['follows']>;

async function closePending(
  deps: TableDeps,
  tenant: Tenant,
  { lease, stream }: { lease: Lease; stream: ResumedStream },
): Promise<Follows> {
  const fenced = new Set<string>();
  for (;;) {
    const { open, follows, refs } = await look(deps, tenant, { stream, fenced });
    const next = recoveryOf(open);
    switch (next?.type) {
      case undefined:
        return follows;
      case 'finish':
        await commitTables(deps, tenant, next.commit.request, lease);
        break;
      case 'fence':
        await fence(deps, tenant, { lease, refs });
        for (const { name } of next.commits) fenced.add(name);
        break;
      case 'drop':
        await deps.kernel.db(tenant).transaction(async (tx) => {
          await deps.kernel.runs.assertLease(tx, lease.runId, lease.leaseEpoch);
          await dropPending(tx, next.commits);
        });
    }
  }
}

interface Look {
  open: OpenCommit<PendingCommit>[];
  follows: Follows;
  /** The tables of the stream and of its open commits that are there. */
  refs: TableRef[];
}

/** The open commits of a stream, and what its tables have of them. */
async function look(
  deps: TableDeps,
  tenant: Tenant,
  { stream: { ref, streamId, key }, fenced }: { stream: ResumedStream; fenced: ReadonlySet<string> },
): Promise<Look> {
  const own = [ref, quarantineOf(ref)];
  const pending = await deps.kernel.db(tenant).transaction((tx) => findPending(tx, { streamId, refs: own, key }));
  const all = [...own, ...pending.flatMap(({ request }) => request.tables.map((commit) => commit.ref))];
  const refs = [...new Map(all.map((one) => [keyOf(one), one])).values()];
  const loaded = await loadTables(deps, tenant, refs);
  const tables = new Map(refs.map((one, at): [string, CurrentTable | undefined] => [keyOf(one), loaded[at]]));
  const newest = (of: TableRef, by: string): Snapshot | undefined => {
    const table = tables.get(keyOf(of));
    return table && newestOf(table.metadata, by);
  };
  const open = pending.map((commit) => {
    const { name, request } = commit;
    const hasIt = (change: TableCommit): boolean =>
      commitName(request.runId, change) === name && nameOfSnapshot(newest(change.ref, change.streamId)) === name;
    return { commit, hasLanded: request.tables.some(hasIt), isFenced: fenced.has(name) };
  });
  const [rows, quarantine] = own.map((one) => newest(one, streamId)?.summary['weir.commit-id'] ?? null);
  const there = refs.filter((one) => tables.get(keyOf(one)) !== undefined);
  return { open, follows: { rows: rows ?? null, quarantine: quarantine ?? null }, refs: there };
}

/** Moves the pointers of tables: a move that was sent before, and may yet arrive, loses the race. */
async function fence(
  deps: TableDeps,
  tenant: Tenant,
  { lease, refs }: { lease: Lease; refs: readonly TableRef[] },
): Promise<void> {
  const { runId, leaseEpoch } = lease;
  const nothing = { mode: 'fence' as const, files: [], stateSha256: '', generation: 0 };
  const tables = refs.map((ref) => ({ ref, ...nothing, streamId: 'fence', attempt: leaseEpoch, batch: leaseEpoch }));
  await commitTables(deps, tenant, { runId, leaseEpoch, tables, checkpoints: [] });
}

function keyOf({ namespace, table }: TableRef): string {
  return `${namespace}.${table}`;
}
