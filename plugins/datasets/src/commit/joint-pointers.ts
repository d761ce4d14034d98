import { faultpoint, type Tenant, type TenantTransaction } from '@weir/kernel';
import { writeCheckpoint } from '../checkpoint/checkpoints.ts';
import type { CommitRequest, StagedPlace } from '../contract.ts';
import { identOf, type TableDeps } from '../store/table-store.ts';
import type { Pointers } from './commit-effects.ts';
import { runOf } from './commit-id.ts';
import type { TableDraft } from './draft-table.ts';
import { asLostRace, LostRace } from './outcome.ts';
import { outdatedBy, removeListed } from './outdated-metadata.ts';
import { enterStaged, leaveStaged, settleStaged } from './staged-files.ts';
import { tellCommitted } from './tell-committed.ts';

/**
 * Pointers and checkpoints in one database: they move in one transaction, in which the run's row is locked, so that an
 * attempt whose outcome is open ends before a later one can look.
 */
export function jointPointers(deps: TableDeps, tenant: Tenant, request: CommitRequest): Pointers {
  const db = deps.kernel.db(tenant);
  return {
    writesMetadata: true,
    async intend(drafts) {
      await db.transaction((tx) => enterStaged(tx, request.runId, drafts.flatMap(placesOf)));
    },
    async move(drafts, { assertLease }) {
      const rest = await db.transaction((tx) => moveAll(deps, tx, { request, drafts, assertLease }));
      for (const { commit, prepared } of drafts) {
        const { newMetadataLocation: metadataLocation, metadata } = prepared;
        deps.scanner.remember(commit.ref, { metadataLocation, metadata });
      }
      await removeListed(deps, tenant, [...drafts.flatMap(outdatedBy), ...rest]);
    },
    promote: async () => undefined,
  };
}

/** Where the files of a draft are to be written. */
export function placesOf({ commit: { ref }, writes }: TableDraft): StagedPlace[] {
  return writes.locations().map((location) => ({ ref, location, isFolder: false }));
}

interface Move {
  request: CommitRequest;
  drafts: readonly TableDraft[];
  assertLease: boolean;
}

/** Everything that a commit changes in the database; answers the staged files that it leaves over. */
async function moveAll(
  deps: TableDeps,
  tx: TenantTransaction,
  { request, drafts, assertLease }: Move,
): Promise<string[]> {
  const { kernel, catalog } = deps;
  const { runId, leaseEpoch, checkpoints, tables } = request;
  if (assertLease) await kernel.runs.assertLease(tx, runId, leaseEpoch);
  // One order for everybody: two commits over the same tables never wait for each other in a circle.
  for (const draft of drafts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const { commit, from, prepared } = draft;
    const to = prepared.newMetadataLocation;
    const ident = identOf(commit.ref);
    if (from.isNew === true) {
      await catalog.ensureNamespace(tx.sql, commit.ref.namespace);
      await catalog.insertTable(tx.sql, ident, to).catch(asLostRace);
    } else if (to === from.metadataLocation) continue;
    else if (!(await catalog.swapPointer(tx.sql, ident, from.metadataLocation, to))) throw new LostRace();
    const by =
      prepared.snapshotId === undefined ? 'schema' : { runId: runOf(runId, commit), streamId: commit.streamId };
    await tellCommitted(deps, tx, { ref: commit.ref, metadata: prepared.metadata, metadataLocation: to, by });
  }
  await faultpoint('S11');
  for (const checkpoint of checkpoints) await writeCheckpoint(tx, runOf(runId, checkpoint), checkpoint);
  await leaveStaged(
    tx,
    drafts.flatMap(({ writes }) => writes.locations()),
  );
  await enterStaged(tx, runId, drafts.flatMap(outdatedPlaces));
  return settleStaged(tx, runId, tables);
}

function outdatedPlaces(draft: TableDraft): StagedPlace[] {
  return outdatedBy(draft).map((location) => ({ ref: draft.commit.ref, location, isFolder: false }));
}

function nameOf({ commit: { ref } }: TableDraft): string {
  return `${ref.namespace}.${ref.table}`;
}
