import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { writeCheckpoint } from '../checkpoint/checkpoints.ts';
import type { CommitRequest, TableCommit } from '../contract.ts';
import { identOf, loadTables, type TableDeps } from '../store/table-store.ts';
import type { Pointers } from './commit-effects.ts';
import { runOf } from './commit-id.ts';
import type { TableDraft } from './draft-table.ts';
import { placesOf } from './joint-pointers.ts';
import { LostRace } from './outcome.ts';
import { removeListed } from './outdated-metadata.ts';
import { keepPending, type Lease, letPendingGo } from './pending-commits.ts';
import { enterStaged, settleStaged } from './staged-files.ts';
import { tellCommitted } from './tell-committed.ts';

/**
 * Pointers in a remote catalog, checkpoints in our database. The commit waits in the database, whole, before the catalog
 * is told of it; once the tables carry it its checkpoints are stored. Whoever finds tables ahead of their checkpoints can
 * so bring it to its end.
 */
export function remotePointers(
  deps: TableDeps,
  tenant: Tenant,
  { request, lease }: { request: CommitRequest; lease: Lease },
): Pointers {
  const { kernel } = deps;
  const db = kernel.db(tenant);
  return {
    writesMetadata: false,
    async intend(drafts, { assertLease }) {
      await db.transaction(async (tx) => {
        if (assertLease) await kernel.runs.assertLease(tx, lease.runId, lease.leaseEpoch);
        await enterStaged(tx, lease.runId, drafts.flatMap(placesOf));
        await keepPending(tx, lease, request);
      });
    },
    move: (drafts) => tellCatalog(deps, drafts),
    async promote({ assertLease }) {
      const refs = request.tables.map(({ ref }) => ref);
      // Readers find the tables by our copy of the pointers, which is brought up to date by this.
      const tables = await loadTables(deps, tenant, refs);
      const rest = await db.transaction(async (tx) => {
        if (assertLease) await kernel.runs.assertLease(tx, lease.runId, lease.leaseEpoch);
        if (!(await letPendingGo(tx, request))) return [];
        for (const checkpoint of request.checkpoints)
          await writeCheckpoint(tx, runOf(request.runId, checkpoint), checkpoint);
        // One order for every commit: two over the same tables never wait for each other in a circle.
        const moved = [...request.tables.entries()].toSorted(([, a], [, b]) => (nameOf(a) < nameOf(b) ? -1 : 1));
        for (const [at, commit] of moved) {
          const { ref, streamId } = commit;
          const table = tables[at];
          if (table === undefined) continue;
          const by = { runId: runOf(request.runId, commit), streamId };
          await tellCommitted(deps, tx, { ...table, ref, by });
        }
        return settleStaged(tx, request.runId, request.tables);
      });
      await removeListed(deps, tenant, rest);
    },
  };
}

const nameOf = ({ ref }: TableCommit): string => `${ref.namespace}.${ref.table}`;

/** Tells the catalog of one table, or of several where it takes them in one step. */
async function tellCatalog({ remote }: TableDeps, drafts: readonly TableDraft[]): Promise<void> {
  if (remote === undefined) throw kernelProblems.internal();
  const changes = drafts
    .filter(({ prepared }) => prepared.updates.length > 0)
    .map(({ commit, prepared: { requirements, updates } }) => ({ ident: identOf(commit.ref), requirements, updates }));
  const [first] = changes;
  if (first === undefined) return;
  const outcome = changes.length === 1 ? remote.commitTable(first.ident, first) : remote.commitTables(changes);
  switch (await outcome) {
    case 'committed':
      return;
    case 'conflict':
      throw new LostRace();
    case 'unknown':
      throw kernelProblems.dependencyUnavailable();
  }
}
