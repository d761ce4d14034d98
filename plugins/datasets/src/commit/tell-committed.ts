import type { TenantTransaction } from '@weir/kernel';
import { findSnapshot, type TableMetadata } from '@weir/lakehouse';
import { type CommittedTable, TableCommits, type TableRef } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import type { TableDeps } from '../store/table-store.ts';

/** What moved a table: a commit of rows by a run, or a change of its columns. */
export type MovedBy = { runId: string; streamId: string } | 'schema';

/** Tells readers of events, and everyone who asked for it, of a moved table, in the transaction that moves it. */
export async function tellCommitted(
  { kernel, events }: Pick<TableDeps, 'kernel' | 'events'>,
  tx: TenantTransaction,
  { ref, metadata, by }: { ref: TableRef; metadata: TableMetadata; by: MovedBy },
): Promise<void> {
  const table = committedTable(ref, metadata, by);
  await events?.publish(tx, { topic: 'dataset', id: table.datasetId, version: versionOf(table) });
  for (const told of await kernel.contributionsFor(tx, TableCommits)) await told(tx, table);
}

/** The snapshot; a change of the columns alone leaves it, and is another version all the same. */
const versionOf = ({ snapshotId, operation, schemaId }: CommittedTable) =>
  operation === 'schema' ? `${snapshotId ?? ''}s${schemaId}` : String(snapshotId);

function committedTable(ref: TableRef, metadata: TableMetadata, by: MovedBy): CommittedTable {
  const snapshot = findSnapshot(metadata);
  const ofRows = by === 'schema' ? undefined : by;
  return {
    ref,
    datasetId: datasetId(ref),
    snapshotId: snapshot?.['snapshot-id'].toString() ?? null,
    parentSnapshotId: snapshot?.['parent-snapshot-id']?.toString() ?? null,
    operation: ofRows === undefined ? 'schema' : (snapshot?.summary.operation as CommittedTable['operation']),
    schemaId: metadata['current-schema-id'],
    runId: ofRows?.runId ?? null,
    streamId: ofRows?.streamId ?? null,
    addedRecords: (ofRows && snapshot?.summary['added-records']) ?? null,
  };
}
