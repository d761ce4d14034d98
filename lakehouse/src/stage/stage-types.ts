import type { DuckdbReserve } from '../duckdb/duckdb-session.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import type { TableFacts } from '../rows/row-source.ts';
import type { Column, TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';
import type { BareLines, LineShape } from './stage-sql.ts';

export type StagerOptions = {
  /** Where finished files go. */
  readonly io: FileIO;
  /** A local folder of the stager's own: drafts, spilled memory and rejected lines. It is made and never emptied. */
  readonly scratch: string;
  /** What DuckDB may hold before it spills, such as `400MB`. */
  readonly memoryLimit?: string;
  /** What it may spill, such as `10GB`; `spill_full` beyond it. */
  readonly spillLimit?: string;
  readonly threads?: number;
  /** A merge is `query_deadline` after so long; without it, it takes its time. */
  readonly deadlineMs?: number;
  readonly reserve?: DuckdbReserve | undefined;
};

/** Why a line is no row. Its bytes are kept for the quarantine table. */
export type RejectReason =
  /** It is no JSON object, or its members are not where the shape says. */
  | 'malformed_json'
  | 'invalid_utf8'
  /** A text has an escaped half of a surrogate pair, which no column and no JSON text can hold. */
  | 'lone_surrogate'
  /** An object that is read by name has a name twice. */
  | 'duplicate_key'
  | 'no_data'
  /** The time at which the row was read is absent or no number of milliseconds. */
  | 'invalid_time'
  /** It is longer than 64 MiB. */
  | 'line_too_large'
  /** A column of the key is absent, null, or does not fit its type. */
  | 'key_missing'
  | SourceReason;

/** Why a source says that a line of a file is no row. */
export const SOURCE_REASONS = [
  'row_too_wide',
  'row_too_short',
  'quote_unclosed',
  'text_after_quote',
  'line_too_large',
  'invalid_utf8',
  'malformed_json',
  'truncated',
  'not_object',
  'too_deep',
  'lone_surrogate',
] as const;
export type SourceReason = (typeof SOURCE_REASONS)[number];

/** Lines that are no rows, in a local file below the stager's scratch folder; its reader is `stager.quarantine`. */
export type RejectedLines = {
  readonly path: string;
  readonly count: number;
  readonly reasons: Readonly<Record<string, number>>;
};

export type CopyRequest = {
  /**
   * The path of a spool of JSON lines, one row each. A first line of nothing but spaces is room in which the stager may
   * write while it reads, and makes reading a third cheaper; it is spaces again afterwards.
   */
  readonly source: string;
  readonly shape: LineShape;
  /** There when each line is the data of a row alone. */
  readonly bare?: BareLines;
  /** What `hasLongNumber` has found in the lines, all of them; looked for where absent. */
  readonly longNumbers?: boolean;
  /** The table's schema, meta columns included; columns that a line lacks become NULL. */
  readonly schema: TableSchema;
  /** Names of text columns that hold JSON objects and lists: another value does not fit them. */
  readonly json?: readonly string[];
  /** How rows are divided over files; absent for an unpartitioned table. */
  readonly spec?: PartitionSpec;
  /** The location of a fresh folder below the table's data location; every file of this call lies in it. */
  readonly folder: string;
  readonly runId: string;
  /** Whether rows keep the order of the lines, within a file and from file to file; `spec` then divides nothing. */
  readonly ordered?: boolean;
  /** Ids of fields that must hold a value; a line without one is rejected as `key_missing`. */
  readonly key?: readonly number[];
  /** Index within the stream of the spool's first line. */
  readonly position: number;
  /** Lines in the spool, as whoever wrote it counted them; another count is `lines_lost`. */
  readonly lines?: number;
};

/** A Parquet file that someone else wrote. */
export type SegmentRequest = Omit<CopyRequest, 'source' | 'shape' | 'json'> & {
  /** Its path; it is only read. `lines` are its rows as they were announced, `position` is that of its first row. */
  readonly source: string;
  /** When its rows were read, in milliseconds since 1970. */
  readonly extractedAt: number;
  /** The name of the file that its rows are from. */
  readonly file?: string | undefined;
};

export type CopyResult = {
  readonly rows: number;
  /** Rows with at least one entry in `_errors`. */
  readonly rowsWithErrors: number;
  /** Rows with members that no column holds, or texts that did not fit theirs; they are in `_extra`. */
  readonly rowsWithExtra: number;
  /** The written files, durable; none when no line was a row. */
  readonly files: readonly StagedFile[];
  /** Sum of the rows' hashes in the form of `rowChecksumSql`; of no rows too. */
  readonly checksum: string;
  /** Lines that are no rows; undefined when all are. `rows` and their count add up to the lines of the spool. */
  readonly rejected: RejectedLines | undefined;
  /** The members that no column holds, with a type that takes every value seen; at most `MAX_UNKNOWN`, by name. */
  readonly unknown: readonly Column[];
};

export type QuarantineRequest = {
  /** Of any number of `copy` calls; the files are consumed. */
  readonly rejected: readonly RejectedLines[];
  /** The quarantine table's schema: `QUARANTINE_COLUMNS` by name; other columns become NULL. */
  readonly schema: TableSchema;
  readonly folder: string;
  readonly runId: string;
  readonly stream: string;
};

export type MergeRequest = {
  readonly schema: TableSchema;
  readonly spec?: PartitionSpec;
  /** Ids of the top-level fields that name a row. With none, the rows of the batch are added as they are. */
  readonly key: readonly number[];
  /**
   * Files of `copy` with `ordered` and `key`, in the order of their lines. The merge reads them and registers them only where
   * there is no key.
   */
  readonly batch: readonly StagedFile[];
  /** Files of the columns of the key alone: the rows of these keys are deleted. The batch has none of them. */
  readonly gone?: readonly StagedFile[];
  /**
   * Files whose rows of before are replaced by those of the batch: rows with such a `_file` are deleted unless the batch has
   * their key. Null stands for rows that a sync wrote without the name of their file.
   */
  readonly replacedFiles?: readonly (string | null)[];
  /** Every live file of the table's snapshot, each with its delete files. */
  readonly live: readonly LiveFile[];
  /** How files of other writers are read, as for a scan; the table's metadata will do. */
  readonly table?: TableFacts;
  readonly folder: string;
  readonly runId: string;
  /** Id of a field of the batch: a row with a value there deletes the row of its key. */
  readonly deleteMarker?: number;
  /** `soft_delete`: a deleted row stays, with the time in `_deleted_at`. */
  readonly mode: 'merge' | 'soft_delete';
  /** How touched files change; by the share of touched files and the size of the table when absent. */
  readonly strategy?: 'copy' | 'positions';
  /** With `soft_delete`: the batch is the whole source, so rows whose key it lacks are marked as deleted too. */
  readonly missing?: boolean;
};

export type MergeResult = {
  /** What the commit adds: data files, and position delete files over files that stay. */
  readonly files: readonly StagedFile[];
  /** Locations of live data files that the new ones replace. */
  readonly removed: readonly string[];
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** Rows of the batch that a later one of their key took the place of: no row of the table comes of them. */
  readonly deduplicated: number;
  /** Rows that this run had put into the table before and that this merge took out or wrote anew. */
  readonly replacedOfRun: number;
};
