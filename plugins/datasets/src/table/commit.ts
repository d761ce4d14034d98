import type { Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type PreparedCommit, prepareAppend, prepareOverwrite, type StagedFile } from '@weir/lakehouse';
import { writeCheckpoint } from '../checkpoint/checkpoints.ts';
import type { CommitRequest, CommitResult, TableCommit } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { findCommit } from './find-commit.ts';
import { isUnknownOutcome, LostRace, retryCommit } from './retry.ts';
import { checkStagedFiles, enterStaged, leaveStaged } from './staged-files.ts';
import { type CurrentTable, identOf, loadTables, type TableDeps } from './table-store.ts';

/** The new state of one table, written and waiting for its pointer to move. */
interface Move {
  commit: TableCommit;
  from: string;
  files: readonly StagedFile[];
  prepared: PreparedCommit;
}

/**
 * Moves the pointers of all tables and stores all checkpoints in one transaction, fenced by the run's lease.
 *
 * Each attempt begins by looking for this commit's id in the tables: a broken connection leaves the outcome open, and
 * only the tables know it. An attempt that may still be under way in the database holds the run's row, so a later one
 * waits for its end and then loses the race to it. Metadata of a race that was certainly lost is removed; after an
 * unknown outcome nothing is, and the ledger keeps it for the sweep.
 */
export async function commitTables(deps: TableDeps, tenant: Tenant, request: CommitRequest): Promise<CommitResult> {
  return retryCommit(async () => {
    const tables = await loadForCommit(deps, tenant, request);
    const settled = await settledBefore(deps, request, tables);
    if (settled !== undefined) return settled;
    const moves = await prepareMoves(deps, request, tables);
    await write(deps, tenant, { request, moves });
    const made = new Map(moves.map(({ commit, prepared }) => [commit, prepared.snapshotId]));
    return resultOf(request, (commit) => made.get(commit));
  });
}

async function loadForCommit(deps: TableDeps, tenant: Tenant, { tables }: CommitRequest) {
  const current = await loadTables(
    deps,
    tenant,
    tables.map(({ ref }) => ref),
  );
  return tables.map((commit, at) => {
    const table = current[at];
    if (table === undefined) throw kernelProblems.notFound();
    return { commit, table };
  });
}

type Loaded = { commit: TableCommit; table: CurrentTable }[];

/** The result of this very commit when an earlier attempt or call has made it. */
async function settledBefore(
  { scanner }: TableDeps,
  request: CommitRequest,
  tables: Loaded,
): Promise<CommitResult | undefined> {
  const found = new Map<TableCommit, bigint>();
  for (const { commit, table } of tables) {
    if (bringsNothing(commit)) continue;
    const snapshotId = await findCommit(scanner, table.metadata, { id: commitId(request.runId, commit), commit });
    if (snapshotId !== undefined) found.set(commit, snapshotId);
  }
  return found.size === 0 ? undefined : resultOf(request, (commit) => found.get(commit));
}

/** An append of no files. An overwrite with none is something: it empties the table. */
function bringsNothing({ mode, files }: TableCommit): boolean {
  return mode === 'append' && files.length === 0;
}

async function prepareMoves({ io }: TableDeps, { runId }: CommitRequest, tables: Loaded): Promise<Move[]> {
  const moves: Move[] = [];
  for (const { commit, table } of tables) {
    if (bringsNothing(commit)) continue;
    const files = await checkStagedFiles(io, table.metadata, commit.files);
    const prepare = commit.mode === 'overwrite' ? prepareOverwrite : prepareAppend;
    const prepared = await prepare({ io, ...table, files, summary: summaryOf(runId, commit) });
    moves.push({ commit, from: table.metadataLocation, files, prepared });
  }
  // One order for everybody: two commits over the same tables never wait for each other in a circle.
  return moves.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

async function write(
  deps: TableDeps,
  tenant: Tenant,
  { request, moves }: { request: CommitRequest; moves: readonly Move[] },
): Promise<void> {
  const { kernel, catalog, events } = deps;
  const { runId, leaseEpoch, checkpoints } = request;
  const db = kernel.db(tenant);
  const written = moves.flatMap(({ prepared }) => prepared.written);
  const places = moves.flatMap(({ commit: { ref }, prepared }) =>
    prepared.written.map((location) => ({ ref, location, isFolder: false })),
  );
  const staged = moves.flatMap(({ files }) => files.map((file) => file.location));
  const all = async (tx: TenantTransaction): Promise<void> => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    for (const { commit, from, prepared } of moves) {
      const moved = await catalog.swapPointer(tx.sql, identOf(commit.ref), from, prepared.newMetadataLocation);
      if (!moved) throw new LostRace();
      const hint = { topic: 'dataset', id: datasetId(commit.ref), version: String(prepared.snapshotId) };
      await events?.publish(tx, hint);
    }
    for (const checkpoint of checkpoints) await writeCheckpoint(tx, runId, checkpoint);
    await leaveStaged(tx, [...written, ...staged]);
  };
  try {
    if (written.length > 0) await db.transaction((tx) => enterStaged(tx, runId, places));
  } catch (error) {
    await removeAll(deps, written);
    throw error;
  }
  try {
    await db.transaction(all);
  } catch (error) {
    if (!isUnknownOutcome(error)) {
      await removeAll(deps, written);
      await db.transaction((tx) => leaveStaged(tx, written));
    }
    throw error;
  }
}

/** Removes metadata that no pointer can ever name; what cannot be removed now is left to the sweep. */
async function removeAll({ io, kernel }: TableDeps, locations: readonly string[]): Promise<void> {
  const removed = await Promise.allSettled(locations.map((location) => io.remove(location)));
  for (const one of removed) {
    if (one.status === 'rejected') kernel.log.warn({ err: one.reason }, 'metadata of a lost commit was not removed');
  }
}

/** What identifies a commit of one table, whatever attempt makes it. */
export function commitId(runId: string, { streamId, batch }: Pick<TableCommit, 'streamId' | 'batch'>): string {
  return `${runId}:${streamId}:${batch}`;
}

function summaryOf(runId: string, commit: TableCommit): Record<string, string> {
  return {
    'weir.run-id': runId,
    'weir.stream-id': commit.streamId,
    'weir.attempt': String(commit.attempt),
    'weir.batch': String(commit.batch),
    'weir.commit-id': commitId(runId, commit),
    'weir.state-sha256': commit.stateSha256,
    'weir.generation': String(commit.generation),
  };
}

function keyOf({ commit: { ref } }: Move): string {
  return `${ref.namespace}.${ref.table}`;
}

function resultOf({ tables }: CommitRequest, snapshotOf: (commit: TableCommit) => bigint | undefined): CommitResult {
  return { tables: tables.map((commit) => ({ ref: commit.ref, snapshotId: snapshotOf(commit)?.toString() ?? null })) };
}
