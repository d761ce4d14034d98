import { randomInt } from 'node:crypto';
import { commitMachine, drive } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import { type CommitRequest, type CommitResult, datasetProblems, type TableCommit } from '../contract.ts';
import type { TableDeps } from '../store/table-store.ts';
import { commitEffects } from './commit-effects.ts';
import { endOf, SEEDS } from './commit-end.ts';
import { commitId } from './commit-id.ts';
import { jointPointers } from './joint-pointers.ts';
import type { Lease } from './pending-commits.ts';
import { remotePointers } from './remote-pointers.ts';

/**
 * Moves the pointers of all tables and stores all checkpoints, in one transaction unless a remote catalog has the
 * pointers, fenced by the lease of the attempt that commits. What is decided, and in which order things are done, is the
 * engine's commit machine; here it meets the database, the store and the catalog.
 */
export async function commitTables(
  deps: TableDeps,
  tenant: Tenant,
  request: CommitRequest,
  lease: Lease = request,
): Promise<CommitResult> {
  const { remote } = deps;
  const commit = { request, lease };
  const isAtomic = remote === undefined || (await remote.commitsManyTables());
  if (!isAtomic && movesAsOne(request)) throw datasetProblems.catalogMovesOneTable();
  const machine = commitMachine({
    tables: request.tables.map((commit) => ({
      commitId: commitId(request.runId, commit),
      isIdle: isIdle(commit),
      base: commit.base,
      follows: commit.follows,
    })),
    isAtomic,
    storesCheckpointsApart: remote !== undefined,
    seed: randomInt(SEEDS),
  });
  const pointers = remote === undefined ? jointPointers(deps, tenant, request) : remotePointers(deps, tenant, commit);
  const driver = drive(machine, commitEffects(deps, tenant, request, pointers));
  driver.send({ type: 'start' });
  const snapshots = endOf((await driver.ended).result);
  return { tables: request.tables.map(({ ref }, at) => ({ ref, snapshotId: snapshots[at] ?? null })) };
}

/** Whether no part of a commit may be published without the others. */
function movesAsOne({ tables, checkpoints, together }: CommitRequest): boolean {
  return checkpoints.length > 1 || (together === true && tables.length > 1);
}

/** Whether a commit leaves its table as it is. An overwrite with no files empties the table; a fence adds a snapshot. */
function isIdle({ mode, files, deletes = [], partitions, schema, create }: TableCommit): boolean {
  const isOfAll = mode === 'fence' || (mode === 'overwrite' && partitions?.length !== 0);
  const isOfColumns = schema !== undefined || create !== undefined;
  return !isOfAll && !isOfColumns && files.length === 0 && deletes.length === 0;
}
