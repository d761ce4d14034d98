import { Type } from '@sinclair/typebox';
import { contributionPoint, Id, Nullable, OneOf, Timestamp } from '@weir/kernel/contract';
import type { CallerTransaction, TableRef } from '../tables.ts';

export const HEALTH_STATUSES = ['healthy', 'due', 'blocked'] as const;
/** `races`: other commits were faster three times. `hold`: a reader keeps snapshots that would have expired a day ago. */
const BLOCKS = ['races', 'hold'] as const;

/** What keeps the maintenance of a table, as answers show it. */
export const Blocked = Nullable(
  Type.Object({ why: OneOf(BLOCKS), detail: Type.String(), since: Timestamp, run_id: Nullable(Id) }),
);

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
