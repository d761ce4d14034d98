import { setTimeout as delay } from 'node:timers/promises';
import type { CommitEffect, CommitEvent, Draft } from '@weir/engine';
import { faultpoint, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type CommitRequest, datasetProblems, type TableCommit } from '../contract.ts';
import { type CurrentTable, loadTables, newTableOf, type TableDeps } from '../store/table-store.ts';
import { commitId } from './commit-id.ts';
import { draftOf, draftTable, type TableDraft } from './draft-table.ts';
import { findCommit } from './find-commit.ts';
import { outcomeOf } from './outcome.ts';
import { leaveStaged } from './staged-files.ts';

/** Where the pointers of tables are, and what is kept beside them. */
export interface Pointers {
  /** Whether a commit writes the next metadata file; a catalog that keeps metadata writes it itself. */
  readonly writesMetadata: boolean;
  /** Enters into the ledger what is about to be written. */
  intend(drafts: readonly TableDraft[], options: { assertLease: boolean }): Promise<void>;
  /** Moves the pointers, all or none. Throws `LostRace` when one is not where it was read. */
  move(drafts: readonly TableDraft[], options: { assertLease: boolean }): Promise<void>;
  /** Stores the checkpoints, where they have not moved with the pointers. */
  promote(options: { assertLease: boolean }): Promise<void>;
}

/** Performs what a commit asks for: tables and files here, what is told apart by the catalog through its pointers. */
export function commitEffects(deps: TableDeps, tenant: Tenant, request: CommitRequest, pointers: Pointers) {
  const { writesMetadata } = pointers;
  let current: readonly CurrentTable[] = [];
  const drafts = new Map<number, TableDraft>();

  const load = async (): Promise<CommitEvent> => {
    current = await loadAll(deps, tenant, request.tables);
    return { type: 'loaded', tables: await findAll(deps, request, current) };
  };
  const prepare = async (tables: readonly number[]): Promise<CommitEvent> => {
    drafts.clear();
    for (const at of tables) {
      const [commit, table] = [request.tables[at], current[at]];
      if (commit === undefined || table === undefined) throw kernelProblems.internal();
      drafts.set(at, await draftTable({ io: deps.io, writesMetadata }, request.runId, { commit, table }));
    }
    return { type: 'prepared', drafts: [...drafts].map(([at, draft]) => draftOf(at, draft)) };
  };
  const of = (asked: readonly Draft[]): TableDraft[] => asked.flatMap(({ table }) => drafts.get(table) ?? []);

  const perform = async (effect: CommitEffect): Promise<CommitEvent> => {
    switch (effect.type) {
      case 'load':
        return load();
      case 'prepare':
        return prepare(effect.tables);
      case 'intend':
        await pointers.intend(of(effect.drafts), effect);
        return { type: 'intended' };
      case 'write':
        await faultpoint('S8');
        await writeAll(of(effect.drafts));
        await faultpoint('S9');
        return { type: 'written' };
      case 'move':
        await pointers.move(of(effect.drafts), effect);
        await faultpoint('S10');
        return { type: 'moved' };
      case 'promote':
        await faultpoint('S11');
        await pointers.promote(effect);
        return { type: 'promoted' };
      case 'remove':
        await removeAll(deps, tenant, effect.drafts);
        return { type: 'removed' };
      case 'wait':
        await delay(effect.ms);
        return { type: 'waited' };
    }
  };
  return (effect: CommitEffect): Promise<CommitEvent> => perform(effect).catch(outcomeOf);
}

/** The tables as they stand; in the place of one that a commit makes, the one to be made. */
export async function loadAll(
  deps: TableDeps,
  tenant: Tenant,
  commits: readonly TableCommit[],
): Promise<readonly CurrentTable[]> {
  const loaded = await loadTables(
    deps,
    tenant,
    commits.map(({ ref }) => ref),
  );
  return commits.map(({ create }, at) => {
    const [there, made] = [loaded[at], create && newTableOf(create)];
    if (made !== undefined && there !== undefined && !isSame(there, made)) throw datasetProblems.baseMoved();
    const table = there ?? made;
    if (table === undefined) throw kernelProblems.notFound();
    return table;
  });
}

const isSame = (one: CurrentTable, other: CurrentTable): boolean =>
  one.metadata['table-uuid'] === other.metadata['table-uuid'];

function findAll({ scanner }: TableDeps, { runId, tables }: CommitRequest, current: readonly CurrentTable[]) {
  return Promise.all(
    current.map(({ metadata }, at) => {
      const commit = tables[at];
      if (commit === undefined) throw kernelProblems.internal();
      return findCommit(scanner, metadata, { id: commitId(runId, commit), commit });
    }),
  );
}

/** Writes every file of every draft; resolves or rejects once nothing is under way any more. */
async function writeAll(drafts: readonly TableDraft[]): Promise<void> {
  const outcomes = await Promise.allSettled(drafts.map(({ writes }) => writes.flush()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Removes files that no pointer can ever name; what cannot be removed now stays in the ledger for the sweep. */
async function removeAll({ io, kernel }: TableDeps, tenant: Tenant, drafts: readonly Draft[]): Promise<void> {
  const locations = drafts.flatMap(({ files }) => files);
  try {
    for (const location of locations) await io.remove(location);
    await kernel.db(tenant).transaction((tx) => leaveStaged(tx, locations));
  } catch (err) {
    kernel.log.warn({ err }, 'metadata of a lost commit was not removed');
  }
}
