import { service } from '@weir/kernel/contract';
import type { TableOwner, TableRef } from './tables.ts';

/** What is counted of the rows of one run in a table, from the files of one of its snapshots alone. */
export interface RunFigures {
  rows: number;
  /** Rows with at least one entry in `_errors`. */
  rowsWithErrors: number;
  /** Sum over the hashes of the rows, in any order: `<algorithm>:<hex>`. */
  checksum: string;
}

/** Why nothing was counted: the table is gone, it no longer keeps the snapshot, or its files are missing or damaged. */
export type NotCounted = { outcome: 'table_missing' | 'snapshot_missing' | 'unreadable' };

export type CountedRun = { outcome: 'counted'; snapshotId: string; figures: RunFigures } | NotCounted;

/** Lines of a run in a quarantine table: at the last snapshot that the run made there, null for none, and now. */
export type CountedLines = { outcome: 'counted'; snapshotId: string | null; lines: number; now: number } | NotCounted;

/** Looks at what tables hold, apart from everything that was noted when it was written. Changes nothing. */
export interface AuditsService {
  /**
   * The rows that carry the run's id, at a snapshot or, without one, as the table is now. Every file is read anew. Throws
   * `destination_not_allowed` outside the tenant's namespaces, and the reason of the signal once that is aborted.
   */
  figures(
    tenant: TableOwner,
    ref: TableRef,
    of: { runId: string; snapshotId?: string; signal?: AbortSignal },
  ): Promise<CountedRun>;
  /**
   * The lines that name the run in the quarantine table of a table, whoever has put them there. Replays take lines out, so
   * that there may be fewer now, and never more.
   */
  rejectedLines(tenant: TableOwner, ref: TableRef, of: { runId: string; signal?: AbortSignal }): Promise<CountedLines>;
}

export const Audits = service<AuditsService>('datasets.audits@1');
