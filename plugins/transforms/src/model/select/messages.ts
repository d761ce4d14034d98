import type {
  MergeRequest,
  PartitionSpec,
  PinnedRows,
  SelectCheck,
  SelectOnto,
  TableSchema,
} from '@weir/plugin-datasets/stage';
import type { IncrementOf } from '@weir/sql';
import type { SqlFault } from './select-errors.ts';

/** How one statement is bounded. */
export interface SelectBounds {
  /** Resident memory at which the process of a statement ends. DuckDB may hold what is left of it beside the program. */
  memoryMiB: number;
  threads: number;
  /** What a statement may spill to disk. */
  spillMiB: number;
  deadlineMs: number;
}

/** The rows of an input; the statement names it by its dataset id. */
export interface SelectInput {
  name: string;
  rows: PinnedRows;
}

export interface RunAsk {
  kind: 'run';
  sql: string;
  inputs: readonly SelectInput[];
  /** What `run_started_at()` answers. */
  startedAt?: Date;
  schema: TableSchema;
  spec?: PartitionSpec;
  folder: string;
  checks?: readonly SelectCheck[];
  /** Of the input that changed: only what may have changed with it is written. */
  within?: { input: string; changed: PinnedRows; columns: readonly string[] };
  /** The table that the result goes to, where checks read it. */
  onto?: SelectOnto;
}

export interface RowsAsk {
  kind: 'rows';
  sql: string;
  inputs: readonly SelectInput[];
  limit: number;
  maxBytes: number;
  /** With labels for its schema, rows come as an Arrow IPC stream. */
  arrow?: Readonly<Record<string, string>>;
}

/** Merges files of an earlier run of a statement into the rows of a table; no statement of a user takes part. */
export interface MergeAsk {
  kind: 'merge';
  sql: '';
  folder: string;
  request: MergeRequest;
}

/** What a process is asked for, one after the other. */
export type SelectAsk =
  | { kind: 'read'; sql: string; checks?: readonly SelectCheck[] }
  | {
      kind: 'describe';
      sql: string;
      inputs: readonly SelectInput[];
      checks?: readonly SelectCheck[];
      increment?: IncrementOf;
    }
  | RowsAsk
  | RunAsk
  | MergeAsk;

export interface SelectPlan {
  ask: SelectAsk;
  bounds: SelectBounds;
  /** Local paths of the files of all inputs, by location. */
  paths: ReadonlyMap<string, string>;
  /** A folder of the process alone, for what it spills. */
  scratch: string;
  /** The folder in which it writes the files of a result, before the parent takes them. */
  drafts: string;
  /** DuckDBs that the process begins with its first plan: once a statement has run, it can begin no more threads. */
  reserve: number;
}

export type ToSelect =
  | { type: 'plan'; plan: SelectPlan }
  /** The answer to an upload; a code says that it failed. */
  | { type: 'uploaded'; id: number; failure?: string }
  | { type: 'sealed' };

export type FromSelect =
  | { type: 'pulse' }
  /** It has all its threads, and waits until it can have no more. */
  | { type: 'seal' }
  | { type: 'upload'; id: number; path: string; location: string }
  /** `isFresh`: the process holds no more than one that has just begun, and may be asked again. */
  | { type: 'done'; result: unknown; isFresh: boolean }
  | { type: 'refused'; faults: readonly SqlFault[] }
  | { type: 'failed'; code: string };
