import { setTimeout as delay } from 'node:timers/promises';
import type { CommitEffect, CommitEvent, Draft } from '@weir/engine';
import type { Tenant, TenantTransaction } from '@weir/kernel';
import { faultpoint } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { writeCheckpoint } from '../checkpoint/checkpoints.ts';
import type { CommitRequest, StagedPlace, TableCommit } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { commitId } from './commit-id.ts';
import { draftOf, draftTable, type TableDraft } from './draft-table.ts';
import { findCommit } from './find-commit.ts';
import { LostRace, outcomeOf } from './outcome.ts';
import { enterStaged, leaveStaged } from './staged-files.ts';
import { type CurrentTable, identOf, loadTables, type TableDeps } from './table-store.ts';

/**
 * Performs what a commit asks for where pointers and checkpoints live in one database: they move in one transaction, in
 * which the run's row is locked, so that an attempt whose outcome is open ends before a later one can look.
 */
export function jointEffects(deps: TableDeps, tenant: Tenant, request: CommitRequest) {
  const db = deps.kernel.db(tenant);
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
      drafts.set(at, await draftTable({ io: deps.io, writesMetadata: true }, request.runId, { commit, table }));
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
      case 'intend': {
        const places = of(effect.drafts).flatMap(placesOf);
        await db.transaction((tx) => enterStaged(tx, request.runId, places));
        return { type: 'intended' };
      }
      case 'write':
        await faultpoint('S8');
        await writeAll(of(effect.drafts));
        await faultpoint('S9');
        return { type: 'written' };
      case 'move':
        await db.transaction((tx) => moveAll(deps, tx, { ...effect, request, drafts: of(effect.drafts) }));
        for (const { prepared } of of(effect.drafts)) {
          deps.scanner.remember(prepared.newMetadataLocation, prepared.metadata);
        }
        await faultpoint('S10');
        return { type: 'moved' };
      case 'promote':
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

async function loadAll(
  deps: TableDeps,
  tenant: Tenant,
  commits: readonly TableCommit[],
): Promise<readonly CurrentTable[]> {
  const refs = commits.map(({ ref }) => ref);
  return (await loadTables(deps, tenant, refs)).map((table) => {
    if (table === undefined) throw kernelProblems.notFound();
    return table;
  });
}

function findAll({ scanner }: TableDeps, { runId, tables }: CommitRequest, current: readonly CurrentTable[]) {
  return Promise.all(
    current.map(({ metadata }, at) => {
      const commit = tables[at];
      if (commit === undefined) throw kernelProblems.internal();
      return findCommit(scanner, metadata, { id: commitId(runId, commit), commit });
    }),
  );
}

function placesOf({ commit: { ref }, writes }: TableDraft): StagedPlace[] {
  return writes.locations().map((location) => ({ ref, location, isFolder: false }));
}

/** Writes every file of every draft; resolves or rejects once nothing is under way any more. */
async function writeAll(drafts: readonly TableDraft[]): Promise<void> {
  const outcomes = await Promise.allSettled(drafts.map(({ writes }) => writes.flush()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

interface Move {
  request: CommitRequest;
  drafts: readonly TableDraft[];
  assertLease: boolean;
}

/** Everything that a commit changes in the database. */
async function moveAll(
  { kernel, catalog, events }: TableDeps,
  tx: TenantTransaction,
  { request, drafts, assertLease }: Move,
): Promise<void> {
  const { runId, leaseEpoch, checkpoints } = request;
  if (assertLease) await kernel.runs.assertLease(tx, runId, leaseEpoch);
  // One order for everybody: two commits over the same tables never wait for each other in a circle.
  for (const { commit, from, prepared } of drafts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const to = prepared.newMetadataLocation;
    if (to === from.metadataLocation) continue;
    if (!(await catalog.swapPointer(tx.sql, identOf(commit.ref), from.metadataLocation, to))) throw new LostRace();
    const hint = { topic: 'dataset', id: datasetId(commit.ref), version: String(prepared.snapshotId) };
    await events?.publish(tx, hint);
  }
  await faultpoint('S11');
  for (const checkpoint of checkpoints) await writeCheckpoint(tx, runId, checkpoint);
  await leaveStaged(tx, drafts.flatMap(locationsOf));
}

function nameOf({ commit: { ref } }: TableDraft): string {
  return `${ref.namespace}.${ref.table}`;
}

function locationsOf({ files, writes }: TableDraft): string[] {
  return [...writes.locations(), ...files.map(({ location }) => location)];
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
