import { contributionPoint } from '@weir/kernel/contract';
import type { CallerTransaction, TableRef } from '../tables.ts';

/** A table whose maintenance makes no progress. */
export interface BlockedTable {
  readonly ref: TableRef;
  readonly datasetId: string;
  /** `races`: other commits were faster too often. `hold`: a run keeps old snapshots. */
  readonly why: 'races' | 'hold';
  readonly detail: string;
  /** The run that holds snapshots, if one does. */
  readonly runId: string | null;
}

/** Called once when a table becomes blocked, in the transaction that notes it. */
export type TableBlocked = (
  tx: CallerTransaction & { afterCommit(work: () => Promise<void>): void },
  table: BlockedTable,
) => Promise<void>;

export const TableBlocks = contributionPoint<TableBlocked>('table.blocked');
