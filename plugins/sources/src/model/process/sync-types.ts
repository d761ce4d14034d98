import type { SyncTypes } from '@weir/engine';
import type { StagedFile } from '@weir/plugin-datasets/stage';
import type { Failure } from '@weir/work';

/** A column that rows ask for, with its type in the table's words. */
export interface WantedColumn {
  readonly name: string;
  readonly type: unknown;
}

/** What one segment, or its rejected lines, became. */
export interface StagedPart {
  readonly files: readonly StagedFile[];
  readonly rows: number;
  readonly rowsWithErrors: number;
  readonly rowsWithExtra: number;
  /** Of the lines that were read. */
  readonly bytes: number;
  /** Sum of the hashes of the rows. */
  readonly checksum: string;
  /** Members that went to `_extra`. */
  readonly captured: readonly WantedColumn[];
}

/** A batch as it goes into a table that its rows were merged into. */
export interface MergedBatch {
  readonly files: readonly StagedFile[];
  /** Locations of live files that others replace. */
  readonly removed: readonly string[];
  /** The snapshot that it was merged into; null for a table without any. */
  readonly base: string | null;
  readonly inserted: number;
  readonly updated: number;
  /** Rows that are not in the table any more, and whose key the batch does not have. */
  readonly deleted: number;
  /** The rows of the batch are in the table as they were staged: no key decided on them. */
  readonly keepsBatch: boolean;
  /** Rows of the batch that a later one of their key took the place of. */
  readonly deduplicated: number;
  /** Rows of this run that are not in the table any more, or were written anew. */
  readonly replacedOfRun: number;
}

/** The engine's sync as this plugin carries it out. */
export interface Sync extends SyncTypes {
  /** JSON text of a STATE. */
  readonly state: string;
  readonly part: StagedPart;
  readonly column: WantedColumn;
  readonly merged: MergedBatch;
  readonly failure: Failure;
}
