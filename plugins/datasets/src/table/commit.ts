import { randomInt } from 'node:crypto';
import { commitMachine, drive } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import type { CommitRequest, CommitResult, TableCommit } from '../contract.ts';
import { endOf, SEEDS } from './commit-end.ts';
import { commitId } from './commit-id.ts';
import { jointEffects } from './joint-effects.ts';
import type { TableDeps } from './table-store.ts';

/**
 * Moves the pointers of all tables and stores all checkpoints in one transaction, fenced by the run's lease. What is
 * decided, and in which order things are done, is the engine's commit machine; here it meets the database and the store.
 */
export async function commitTables(deps: TableDeps, tenant: Tenant, request: CommitRequest): Promise<CommitResult> {
  const machine = commitMachine({
    tables: request.tables.map((commit) => ({
      commitId: commitId(request.runId, commit),
      isIdle: isIdle(commit),
      base: commit.base,
      follows: commit.follows,
    })),
    isAtomic: true,
    storesCheckpointsApart: false,
    seed: randomInt(SEEDS),
  });
  const driver = drive(machine, jointEffects(deps, tenant, request));
  driver.send({ type: 'start' });
  const snapshots = endOf((await driver.ended).result);
  return { tables: request.tables.map(({ ref }, at) => ({ ref, snapshotId: snapshots[at] ?? null })) };
}

/** Whether a commit leaves its table as it is. An overwrite with no files is something: it empties the table. */
function isIdle({ mode, files, deletes = [] }: TableCommit): boolean {
  return mode !== 'overwrite' && files.length === 0 && deletes.length === 0;
}
