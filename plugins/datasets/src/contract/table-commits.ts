import { contributionPoint } from '@weir/kernel/contract';
import type { CallerTransaction, TableRef } from './tables.ts';

/** A table as a commit has left it. */
export interface CommittedTable {
  readonly ref: TableRef;
  readonly datasetId: string;
  /** The newest snapshot, and the one before it, in decimal digits; null while the table has none. */
  readonly snapshotId: string | null;
  readonly parentSnapshotId: string | null;
  /** `schema` changed the columns alone, `replace` the files; the others are the operations of the table format. */
  readonly operation: 'append' | 'replace' | 'overwrite' | 'delete' | 'schema';
  readonly schemaId: number;
  /** The run and the stream that committed; null for a change of the columns. */
  readonly runId: string | null;
  readonly streamId: string | null;
  /** Rows that the snapshot added, in decimal digits, where it says so. */
  readonly addedRecords: string | null;
}

/**
 * Told of a moved table, in the transaction that moves its pointer; where a remote catalog has the pointer, in the one
 * that stores the checkpoints behind it. Every commit waits for it: one insert at most. A throw fails the commit.
 */
export type TableCommitted = (
  tx: CallerTransaction & { afterCommit(work: () => Promise<void>): void },
  table: CommittedTable,
) => Promise<void>;

/** Who is told of every table that moves. */
export const TableCommits = contributionPoint<TableCommitted>('table.committed');
