import type { StagedFile } from '../manifest/stats.ts';
import type { TableMetadata } from '../metadata/metadata.ts';
import type { TableRequirement, TableUpdate } from '../metadata/table-update.ts';
import type { PartitionSpec, PartitionValues } from '../partition/partition-spec.ts';
import type { TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';

/** The table that a commit stands on, and how it is written. */
export type TableInput = {
  readonly io: FileIO;
  /** The table as the catalog's pointer shows it now. */
  readonly metadata: TableMetadata;
  readonly metadataLocation: string;
  /** Whether the next metadata file is written, as by default; a REST catalog writes it itself. */
  readonly writeMetadata?: boolean;
};

/** What a commit of files stands on and adds. */
export type CommitInput = TableInput & {
  readonly files: readonly StagedFile[];
  /** The caller's own keys for the snapshot's summary. */
  readonly summary?: Readonly<Record<string, string>>;
  /** The schema under which the files were written, if it is to become the table's; a successor of the table's. */
  readonly schema?: TableSchema;
  /** Make a snapshot even when no file comes and none goes. */
  readonly allowEmpty?: boolean;
  /** The id of the snapshot, where readers know it already; one that the table has is `base_moved`. Otherwise drawn. */
  readonly snapshotId?: bigint;
};

/** An overwrite of the whole table or of some of its partitions. */
export type OverwriteInput = CommitInput & {
  /** The partitions, under the table's default spec, whose rows go; everything when absent. */
  readonly partitions?: readonly PartitionValues[];
};

/** An overwrite of the whole table that gives it another schema or another division as well. */
export type ReplaceInput = Omit<CommitInput, 'schema'> & {
  /** The schema under which all files were written, as `replacementSchema` planned it for this table. */
  readonly schema?: TableSchema | undefined;
  /** The spec by which all files are divided, as `nextPartitionSpec` planned it for this table. */
  readonly spec?: PartitionSpec | undefined;
};

/** A change of rows: data files and delete files come, rewritten data files go. */
export type RowDeltaInput = CommitInput & {
  /** The locations of live data files that others in `files` replace. */
  readonly removed: readonly string[];
  /** The snapshot that the change was made from; undefined for a table without one. Another one is `base_moved`. */
  readonly baseSnapshotId: bigint | undefined;
};

/** Data files of one partition and the files that hold the same rows. */
export type RewrittenBin = {
  /** The locations of live data files. */
  readonly removed: readonly string[];
  readonly files: readonly StagedFile[];
  /** Rows of the removed files that deletes had taken away. */
  readonly deletedRows: bigint;
};

/** A change of files that changes no row. */
export type RewriteInput = TableInput & {
  readonly bins: readonly RewrittenBin[];
  /** Sequence number of the snapshot from which the rows were read. */
  readonly readAt: bigint;
  readonly summary?: Readonly<Record<string, string>>;
};

/** A table state that is written and durable, and that nobody sees until the catalog moves to it. */
export type PreparedCommit = {
  /** Where the pointer must go; the old location when there is nothing to commit or `writeMetadata` is false. */
  readonly newMetadataLocation: string;
  /** The table as it will be. */
  readonly metadata: TableMetadata;
  /** The new snapshot's id; undefined when the commit makes none. */
  readonly snapshotId: bigint | undefined;
  /** Files written for this commit, to be removed if the commit is lost. */
  readonly written: readonly string[];
  /** What must still hold of the table, for a catalog that is told of changes. */
  readonly requirements: readonly TableRequirement[];
  /** What becomes of the table, in order; empty when there is nothing to commit. */
  readonly updates: readonly TableUpdate[];
};
