import type { DuckdbReserve } from '../duckdb/duckdb-session.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import type { PinnedRows } from '../rows/pinned-rows.ts';
import type { Column, Field, TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';

export type SelectorOptions = {
  /** Where inputs lie and finished files go. */
  readonly io: FileIO;
  /** A local folder of the selector's own: drafts and spilled memory. */
  readonly scratch: string;
  /** What DuckDB may hold before it spills, such as `1GB`. */
  readonly memoryLimit: string;
  /** What it may spill, such as `10GB`; `spill_full` beyond it. */
  readonly spillLimit?: string;
  readonly threads: number;
  /** After so long a statement is `query_deadline`. */
  readonly deadlineMs: number;
  /** DuckDBs for statements that are run. */
  readonly reserve?: DuckdbReserve | undefined;
  /** Throws unless the statement may run over these inputs; it is given DuckDB's own tree of the text. */
  readonly gate: (statement: {
    readonly ast: unknown;
    readonly sql: string;
    readonly inputs: readonly string[];
  }) => void | Promise<void>;
};

/** A statement's inputs by name: a plain one, or `catalogue.schema.table`. */
export type SelectInputs = ReadonlyMap<string, PinnedRows>;

/** Where a result may differ from an earlier one: in rows with values that the statement has over rows that changed. */
export type SelectWithin = {
  /** The input that changed, by name. */
  readonly input: string;
  readonly changed: PinnedRows;
  /** Columns of the result, as the schema names them. */
  readonly columns: readonly string[];
};

/** The table that a result goes to, as it is before. */
export type SelectOnto = {
  /** Under the columns of the result. */
  readonly rows: PinnedRows;
  /**
   * Columns of the result: rows of the table with the values of a row that is written, or that may have changed, go. With none
   * all of them stay.
   */
  readonly replaces: readonly string[];
  /** Which rows of the table go, whatever is written: a condition of SQL. */
  readonly goes?: string;
};

export type RunSelectRequest = {
  readonly sql: string;
  readonly inputs: SelectInputs;
  /** What `run_started_at()` answers; the time of the call without it. */
  readonly startedAt?: Date | undefined;
  /** The columns of the result under the ids of the table; each is in the result. */
  readonly schema: TableSchema;
  readonly spec?: PartitionSpec;
  /** The folder of the run below the table's data. */
  readonly folder: string;
  /** Only rows with values that may have changed are written. */
  readonly within?: SelectWithin;
  /** Absent for a table of which no row stays, or that no check reads. */
  readonly onto?: SelectOnto;
  readonly checks?: readonly SelectCheck[];
};

/**
 * A statement over `result`, which are the rows of the table as it will be, `written`, which are those of the statement alone,
 * and the inputs. It answers the rows that are wrong.
 */
export type SelectCheck = {
  readonly name: string;
  readonly sql: string;
  /** Wrong rows keep the result from being written. */
  readonly blocks: boolean;
};

export type SelectCheckResult = {
  readonly name: string;
  /** How many rows are wrong, in decimal digits; null where a value kept the check from being carried out. */
  readonly failures: string | null;
  readonly ms: number;
  /** The first wrong rows; absent where there are none, or they are too large. */
  readonly sample?: Pick<SelectRows, 'columns' | 'rows'>;
};

export type RunSelectResult = {
  readonly rows: number;
  readonly files: readonly StagedFile[];
  /** Files of the columns of `within` alone: the values that may have changed, and that no row of the result has. */
  readonly gone: readonly StagedFile[];
  /** In the order of the request. */
  readonly checks: readonly SelectCheckResult[];
  /** A check keeps the result from being written, or could not be carried out: there are no files. */
  readonly isBlocked: boolean;
};

/** An operator of a logical plan, as `EXPLAIN (FORMAT JSON)` gives it. */
export type SelectPlanNode = {
  readonly name: string;
  readonly children?: readonly SelectPlanNode[];
  readonly extra_info?: Readonly<Record<string, unknown>>;
};

export type ExaminedSelect = {
  readonly columns: readonly Column[];
  /** The bound plan, where it was asked for. */
  readonly plan?: SelectPlanNode;
  /** What is wrong with each check that cannot be carried out: what the gate throws, or a `LakehouseError`. */
  readonly refused: readonly { readonly name: string; readonly error: unknown }[];
};

export type SelectRowsRequest = {
  readonly sql: string;
  readonly inputs: SelectInputs;
  /** Rows that are answered at most. */
  readonly limit: number;
  /** Bytes of JSON that they may have; a first row beyond it is `result_too_large`. */
  readonly maxBytes: number;
  /** With labels for its schema, rows come as an Arrow IPC stream. */
  readonly arrow?: Readonly<Record<string, string>>;
};

export type SelectRows = {
  /** Columns of types that no table has hold texts. */
  readonly columns: readonly Field[];
  /** Every value as `wireValue` gives it; or an Arrow IPC stream of the rows. */
  readonly rows: readonly (readonly unknown[])[] | Uint8Array;
  /** Whether the statement has more rows. */
  readonly truncated: boolean;
};

/** Statements of ours over the result of a user's. */
export type OverSelect = {
  /** Where the result is, as `FROM` names it. */
  readonly result: string;
  /** Rows of a statement of ours, 64-bit integers as texts. */
  rows<Row>(sql: string): Promise<Row[]>;
  /** Writes the rows of a statement of ours to a file in the folder, in their order, each as a line of JSON. */
  lines(sql: string, file: string): Promise<void>;
};

export type Selector = {
  /** DuckDB's own tree of a text, or what it says of one that cannot be parsed. */
  parse(sql: string): Promise<unknown>;
  /** The columns that the result would have. Reads no rows. */
  describe(sql: string, inputs: SelectInputs): Promise<Column[]>;
  /** The same, which checks cannot be carried out over such a result, and the bound plan if it is wanted. */
  examine(
    request: Pick<RunSelectRequest, 'sql' | 'inputs' | 'checks'> & { readonly wantsPlan?: boolean },
  ): Promise<ExaminedSelect>;
  /** The first rows of the result. */
  rows(request: SelectRowsRequest): Promise<SelectRows>;
  /** Has statements of ours run over the result, all over the same rows. They may write into the folder, which is there. */
  over<T>(
    request: Pick<RunSelectRequest, 'sql' | 'inputs' | 'folder'>,
    work: (over: OverSelect) => Promise<T>,
  ): Promise<T>;
  /** Writes the result as data files; when a check blocks it, and on every failure, there are none. */
  run(request: RunSelectRequest): Promise<RunSelectResult>;
};
