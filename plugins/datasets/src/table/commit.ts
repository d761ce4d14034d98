import { randomInt } from 'node:crypto';
import { commitMachine, drive, type CommitResult as Outcome } from '@weir/engine';
import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type CommitRequest, type CommitResult, datasetProblems, type TableCommit } from '../contract.ts';
import { commitId } from './commit-id.ts';
import { jointEffects } from './joint-effects.ts';
import type { TableDeps } from './table-store.ts';

const SEEDS = 2 ** 31;

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
  const { result } = await driver.ended;
  return resultOf(request, result);
}

/** Whether a commit leaves its table as it is. An overwrite with no files is something: it empties the table. */
function isIdle({ mode, files, deletes = [] }: TableCommit): boolean {
  return mode !== 'overwrite' && files.length === 0 && deletes.length === 0;
}

function resultOf({ tables }: CommitRequest, result: Outcome | undefined): CommitResult {
  switch (result?.outcome) {
    case 'committed':
      return { tables: tables.map(({ ref }, at) => ({ ref, snapshotId: result.snapshots[at] ?? null })) };
    case 'conflict':
      throw datasetProblems.commitConflict({ values: { attempts: result.tries } });
    case 'base_moved':
      throw datasetProblems.baseMoved();
    case 'superseded':
      throw datasetProblems.commitSuperseded();
    case 'reused':
      throw datasetProblems.commitIdReused();
    case 'unknown':
    case 'refused':
      throw result.reason;
    default:
      throw kernelProblems.internal();
  }
}
