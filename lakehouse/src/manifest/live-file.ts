import type { ColumnMap } from './manifest.ts';

/** A data file that a snapshot holds. */
export type LiveFile = {
  readonly location: string;
  readonly recordCount: bigint;
  readonly sizeBytes: bigint;
  /** The snapshot that added it. */
  readonly snapshotId: bigint;
  /** The place of its rows in the order of commits; 0 for files from before there were sequence numbers. */
  readonly sequenceNumber: bigint;
  readonly specId: number;
  /** What the file's rows have in common, by partition field id, in the format's single-value encoding. */
  readonly partition: Readonly<Record<string, Buffer | null>>;
  /** Equal for the files of one partition of one spec, and for no others. */
  readonly partitionKey: string;
  /** The files of deletes that may take rows of it away, all told: no other one does. */
  readonly deletes: readonly DeleteFile[];
  /** What its writer said of its columns. */
  readonly figures: FileFigures;
};

/** A file that takes rows of data files away: by file and place, or by the values of some columns. */
export type DeleteFile = {
  readonly location: string;
  readonly content: 'position_deletes' | 'equality_deletes';
  readonly recordCount: bigint;
  readonly sizeBytes: bigint;
  readonly sequenceNumber: bigint;
  /** Of equality deletes that hold for the files of one partition only: its key. */
  readonly partitionKey?: string;
  /** The field ids whose values name the deleted rows; of equality deletes only. */
  readonly equalityIds?: readonly number[];
};

/** Figures by field id, each as far as the writer gave it; bounds are in the format's single-value encoding. */
export type FileFigures = {
  readonly nulls: ColumnMap<bigint>;
  readonly lower: ColumnMap<Buffer>;
  readonly upper: ColumnMap<Buffer>;
};

/** Rows and bytes of a list of files. */
export type FileCount = {
  /** Rows of the data files less those that position deletes name. */
  readonly rows: bigint;
  readonly bytes: bigint;
  /**
   * False when deletes make `rows` an estimate: equality deletes do not say how many rows they take, and the same row
   * may be deleted twice.
   */
  readonly exact: boolean;
};

/** Rows and bytes of a list of files, from the manifests alone; a delete file that goes with several counts once. */
export function countFiles(files: readonly LiveFile[]): FileCount {
  const deletes = new Map(files.flatMap((file) => file.deletes.map((one) => [one.location, one] as const)));
  const rows = files.reduce((sum, file) => sum + file.recordCount, 0n);
  const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0n);
  const gone = [...deletes.values()].reduce(
    (sum, one) => sum + (one.content === 'position_deletes' ? one.recordCount : 0n),
    0n,
  );
  return { rows: rows > gone ? rows - gone : 0n, bytes, exact: deletes.size === 0 };
}
