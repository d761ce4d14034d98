import type { Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { findSnapshot } from '@weir/lakehouse';
import { loadAll } from '../commit/commit-effects.ts';
import { draftTable } from '../commit/draft-table.ts';
import { placesOf } from '../commit/joint-pointers.ts';
import { enterStaged } from '../commit/staged-files.ts';
import { type DraftedTable, type DraftRequest, datasetProblems } from '../contract.ts';
import { decimalDigits } from '../dataset/decimal-digits.ts';
import type { TableDeps } from '../store/table-store.ts';

/** Writes the state of a table after a commit, which no pointer names. */
export async function writeDraft(deps: TableDeps, tenant: Tenant, request: DraftRequest): Promise<DraftedTable> {
  const { kernel, io, scanner } = deps;
  const { runId, leaseEpoch, table: commit } = request;
  const { ref, base } = commit;
  const [table] = await loadAll(deps, tenant, [commit]);
  if (table === undefined) throw kernelProblems.internal();
  const current = table.metadata['current-snapshot-id']?.toString() ?? null;
  if (base !== undefined && base !== current) throw datasetProblems.baseMoved();
  // A catalog that keeps the metadata itself writes none for a draft.
  const draft = await draftTable({ io, writesMetadata: true }, runId, { commit, table });
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, runId, leaseEpoch);
    await enterStaged(tx, runId, placesOf(draft));
  });
  await draft.writes.flush();
  const { metadata, newMetadataLocation: metadataLocation } = draft.prepared;
  scanner.remember(ref, { metadata, metadataLocation });
  const newest = findSnapshot(metadata);
  const rows = decimalDigits(newest?.summary['total-records']) ?? '0';
  return { ref, metadataLocation, snapshotId: newest?.['snapshot-id'].toString() ?? null, rows };
}
