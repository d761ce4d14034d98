import type { TenantTransaction } from '@weir/kernel';
import { findSnapshot, type TableMetadata } from '@weir/lakehouse';
import { type CommittedTable, TableCommits, type TableRef } from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { noteHealth } from '../store/table-health.ts';
import type { TableDeps } from '../store/table-store.ts';

/** What moved a table: a commit of rows by a run, a change of its columns, or a rewrite of its files. */
export type MovedBy = { runId: string; streamId: string } | { runId: string; streamId: null } | 'schema';

/** A table as it is from now on. */
interface Moved {
  ref: TableRef;
  metadata: TableMetadata;
  metadataLocation: string;
  by: MovedBy;
}

/** Tells readers of events, and everyone who asked for it, of a moved table, in the transaction that moves it. */
export async function tellCommitted(
  { kernel, events }: Pick<TableDeps, 'kernel' | 'events'>,
  tx: TenantTransaction,
  { ref, metadata, metadataLocation, by }: Moved,
): Promise<void> {
  await noteHealth(tx, ref, { metadata, metadataLocation });
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
