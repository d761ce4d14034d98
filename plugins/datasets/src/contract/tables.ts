import { service } from '@weir/kernel/contract';

/** The tenant whose tables are meant, as the kernel resolves it. */
export interface TableOwner {
  readonly tenantId: string;
  readonly alias: string;
  readonly scope: string;
}

/** The open transaction of a caller; the kernel's `TenantTransaction` fits. */
export interface CallerTransaction {
  readonly tenant: TableOwner;
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
}

/** A table's name in the catalog: namespace `<layer>.<scope>` and table. Together they are the dataset id. */
export interface TableRef {
  readonly namespace: string;
  readonly table: string;
}

/** What a stager needs to write files for a table. */
export interface PreparedTable {
  ref: TableRef;
  /** Folder of the table. */
  location: string;
  /** Folder below which every staged file must lie. */
  dataLocation: string;
  /** JSON of the table schema with field ids, meta columns included; handed to the stager as it is. */
  schema: object;
  /** Wanted columns that keep the type which the table has: a value that does not fit is left in `_extra`. */
  keptColumns: readonly string[];
  /** Wanted columns that the table cannot have beside the others (`divideNames`): their values are left in `_extra`. */
  extraColumns: readonly string[];
  /** Text columns that hold JSON objects and lists; for the stager. */
  jsonColumns: readonly string[];
  /**
   * The table does not have `schema` yet: a commit that overwrites it brings it as its `replaceSchema`. Under `replace`
   * alone.
   */
  replaces: boolean;
  /** What the commit has to bring along, as the table does not have it yet: of `at: 'commit'` alone. */
  brings: Pick<TableCommit, 'schema' | 'create'>;
  /** JSON of the partition spec under which files are to be written. */
  spec: object;
  /** The table is divided otherwise: a commit that overwrites it brings `spec` as its `replaceSpec`. Under `replace` alone. */
  replacesSpec: boolean;
  tableUuid: string;
  /** The newest snapshot, in decimal digits; null for a table without rows so far. */
  snapshotId: string | null;
  /** The metadata file that says all this. */
  metadataLocation: string;
  /** The run that was the last to replace all rows of the table: of runs before it, nothing is there. */
  replacedBy: string | undefined;
  /**
   * What opens the store of the files: for the process that stages them, and for nobody else. It may hold credentials,
   * so it is never logged and never stored.
   */
  store: object;
}

/** What a table is when it is read: the place from which a merge starts. */
export type TableHead = Pick<PreparedTable, 'snapshotId' | 'metadataLocation' | 'replacedBy'>;

/** A type in the words of the table format, such as `decimal(9, 2)`, or made of such. */
export type TypedColumnType =
  | string
  | { readonly struct: readonly TypedColumn[] }
  | { readonly list: TypedColumnType }
  | { readonly map: { readonly key: TypedColumnType; readonly value: TypedColumnType } };

export interface TypedColumn {
  readonly name: string;
  readonly type: TypedColumnType;
}

/** How `prepare` makes or changes a table. */
export interface PrepareOptions {
  /**
   * Under `freeze` a table that is there gets the column of files at most: any other column that it lacks, or has in another type, is
   * `schema_frozen`. Otherwise columns are added and widened.
   */
  policy?: 'evolve' | 'freeze' | 'capture';
  /**
   * How a new table is partitioned. One that is there keeps what it has, but where `exactly` these columns `replace` the
   * table's.
   */
  partitionBy?: readonly { readonly column: string; readonly transform: string }[] | null;
  /**
   * Columns of the platform's own that the table has. `plain` (unless said): what every row has. `soft_delete`: also
   * when the row was deleted. `quarantine`: nothing but those of rejected lines; the JSON schema is left aside. `exactly`:
   * none, the table has these; the JSON schema is left aside, and under `replace` other columns are dropped.
   */
  columns?: 'plain' | 'soft_delete' | 'quarantine' | { readonly exactly: readonly TypedColumn[] };
  /** The rows come from files: the table also has the column of their file, `_file`. */
  ofFiles?: boolean;
  /**
   * What becomes of a column that changed to a type which the table's cannot grow to. `refuse` (unless said, and always
   * under `freeze`): `schema_incompatible`. `keep`: the table keeps its type. `replace`, for a run that replaces all rows:
   * the column gets a new field in `schema`, which the table has once they are committed. A column that divides the table
   * keeps its type.
   */
  conflicts?: 'refuse' | 'keep' | 'replace';
  /** Columns that the table must have, such as a key; `columns_refused` where another one has the name. */
  needed?: readonly string[];
  /** An earlier answer that no commit has brought yet, and under whose schema files may lie: columns are added to it. */
  planned?: Pick<PreparedTable, 'schema' | 'replaces' | 'brings'>;
  /**
   * When the table changes. `once` (unless said): before this answers. `commit`: not before the commit, which takes what
   * the answer `brings`; where a catalog keeps the metadata itself, a table that is not there is made at once all the same.
   * Runs prepare so.
   */
  at?: 'once' | 'commit';
}

/** Where files are about to be written for a table. */
export interface StagedPlace {
  ref: TableRef;
  /** A file, or a folder that is the run's own: whatever lies below it belongs to this entry. */
  location: string;
  isFolder: boolean;
}

/** A table that its first commit makes. */
export interface NewTable {
  /** Where its first metadata file goes. */
  metadataLocation: string;
  /** The text of that file. */
  metadata: string;
}

/** The files that one commit brings to one table, and what the snapshot says about them. */
export interface TableCommit {
  ref: TableRef;
  /**
   * `overwrite` replaces all rows of the table, or of `partitions`, by those of `files`, in one snapshot; with none it
   * empties them.
   * `row_delta` adds `files`, position deletes among them, and takes away the data files that `deletes` names.
   * `fence` adds an empty snapshot, so that every commit which was prepared before loses the race.
   */
  mode: 'append' | 'overwrite' | 'row_delta' | 'fence';
  /** What the stager returned, unchanged. */
  files: readonly object[];
  /**
   * All that was staged for this commit: what is not in `files`, such as what a merge has read, is removed once the commit
   * holds. Absent, the sweep finds it.
   */
  staged?: readonly object[];
  /**
   * The partitions of an overwrite, under the spec that `prepare` answers: base64 of the single-value encoding, or null, by the
   * id of the partition field, as staged files have them. The table keeps its schema.
   */
  partitions?: readonly Readonly<Record<string, string | null>>[];
  /** The schema under which `files` were written, a successor of the table's; as `prepare` answered. */
  schema?: object;
  /** The table itself, which is not there yet, as `prepare` answered: plain JSON. Another one there is `base_moved`. */
  create?: NewTable;
  /** The schema under which `files` were written, where `prepare` answered that it `replaces` the table's; of an overwrite only. */
  replaceSchema?: object;
  /** The spec under which `files` were written, where `prepare` answered that it `replacesSpec`; of an overwrite only. */
  replaceSpec?: object;
  /** Locations of live data files that were rewritten; of a row delta only. */
  deletes?: readonly string[];
  /**
   * The snapshot on which this commit stands, null for a table without any; another one there is `base_moved`, and
   * nothing is written. Required by a row delta with position deletes, or of rows that a merge has looked up; absent, a
   * commit stands on whatever it finds, as long as the files that it takes away are there.
   */
  base?: string | null;
  /**
   * The commit id of the last snapshot of this stream that the caller knows of, null if it knows of none; another one
   * in the table is `commit_superseded`. What `resume` answers; needed where pointers and checkpoints do not move together.
   */
  follows?: string | null;
  /** The id of the snapshot that this makes, if it makes one: what its `draft` answered, as readers know it. Otherwise drawn. */
  snapshotId?: string | null;
  /** The run whose rows these are, where another one commits them: a part of a whole. Otherwise the run of the request. */
  runId?: string;
  streamId: string;
  attempt: number;
  /** Counts on across the attempts of a run; `<run>:<stream>:<batch>` is the commit id. */
  batch: number;
  /** SHA-256 of the state stored with it, in hex. */
  stateSha256: string;
  generation: number;
}

/** Opaque progress of a producer, stored with the rows that it covers. */
export interface CheckpointWrite {
  /** Chosen by the producer, unique within the tenant. */
  key: string;
  state: unknown;
  counters: CheckpointCounters;
  /** The run that it is of; the run of the request unless said. */
  runId?: string;
}

/** What a producer counts along with its state; as opaque as the state. */
export type CheckpointCounters = Readonly<Record<string, number | string | readonly string[]>>;

export interface CommitRequest {
  runId: string;
  /** Of the attempt that commits; an older attempt is refused with `LeaseLost`. */
  leaseEpoch: number;
  /** Each table at most once. */
  tables: readonly TableCommit[];
  checkpoints: readonly CheckpointWrite[];
  /** All tables move in one step or none: where the catalog cannot do that, several are `catalog_moves_one_table`. */
  together?: true;
}

/** What a run would commit to one table, for others to read before it does. */
export interface DraftRequest {
  runId: string;
  leaseEpoch: number;
  table: TableCommit;
}

/** What a run that has ended has staged for one table, for another run to commit. */
export interface StagedHandover {
  from: string;
  to: string;
  table: Pick<TableCommit, 'ref' | 'files'>;
}

/** A table as its commit would make it, which no catalog names. */
export interface DraftedTable {
  ref: TableRef;
  /** The metadata file that says it; `draft` of an input to be pinned. */
  metadataLocation: string;
  /** The newest snapshot of the draft, null if it has none; to be the `snapshotId` of the commit. */
  snapshotId: string | null;
  /** Rows that the table would have by the totals of its snapshot, in decimal digits. */
  rows: string;
}

export interface CommitResult {
  /** In the order of the request; `snapshotId` is the decimal id of the snapshot that this commit made, null if none. */
  tables: { ref: TableRef; snapshotId: string | null }[];
}

export interface Checkpoint {
  state: unknown;
  counters: CheckpointCounters;
  runId: string;
}

/** From where an attempt goes on. */
export interface ResumePoint {
  checkpoint: Checkpoint | undefined;
  /**
   * The commit ids of the stream's newest snapshots, in its table and in its quarantine table, for the commits that go
   * on from here; undefined where pointers and checkpoints move together and nobody needs to ask.
   */
  follows: { readonly rows: string | null; readonly quarantine: string | null } | undefined;
}

/** What can be said of a table without reading its rows. */
export interface TableDescription {
  /** Whether the name is one that the tenant may write: well-formed, `<layer>.<scope>` with the tenant's own scope. */
  writable: boolean;
  /** Whether the catalog has the table. Never true outside of what the tenant may write. */
  exists: boolean;
  /** Whether the tenant may read the table and its newest metadata is whole. False when there is no table. */
  readable: boolean;
  /** The newest snapshot, in decimal digits; undefined for a table without rows so far, or one that is not readable. */
  snapshotId: string | undefined;
  /** The newest snapshot that changed rows, as far as the table knows; undefined as `snapshotId` is. */
  rowsSnapshotId: string | undefined;
  /** How its rows are divided, as a table is asked for; undefined where it is not readable. */
  partitionBy: readonly { readonly column: string; readonly transform: string }[] | undefined;
}

/** A snapshot of a table, as the metadata keeps it. */
export interface TableSnapshot {
  /** 64 bits, in decimal digits. */
  snapshotId: string;
  /** The run that wrote it; undefined for a snapshot of another writer. */
  runId: string | undefined;
  /** ISO 8601, in `Z`. */
  committedAt: string;
  /** `append`, `overwrite`, `delete` or `replace`. */
  operation: string;
  /** Rows that it added, in decimal digits; undefined when its writer did not say. */
  addedRecords: string | undefined;
}

/** Snapshots that one call lists at most. */
export const MAX_LISTED_SNAPSHOTS = 500;

/** The table that holds the lines which were rejected on their way into a table. */
export function quarantineOf({ namespace, table }: TableRef): TableRef {
  return { namespace, table: `${table}__quarantine` };
}

/** Writes to the tables of one tenant. No call reaches a table outside the tenant's own namespaces. */
export interface TablesService {
  /** The reference of a bronze table of the tenant. Throws `invalid_dataset_id` on a name outside `[A-Za-z0-9_]`. */
  bronze(tenant: TableOwner, table: string): TableRef;
  /**
   * Makes the table, or evolves its schema additively, so that it holds every column of the JSON schema; idempotent.
   * Throws `destination_not_allowed` outside the tenant's namespaces, `schema_incompatible` on any other change, and
   * `schema_frozen` for any change under the policy `freeze`.
   */
  prepare(tenant: TableOwner, ref: TableRef, jsonSchema: object, options?: PrepareOptions): Promise<PreparedTable>;
  /**
   * Columns of the JSON schema that changed to a type which the table's cannot grow to; none without a table. Nothing is
   * changed. Throws `destination_not_allowed`, and `columns_refused` for needed names that no table can have.
   */
  conflicts(
    tenant: TableOwner,
    ref: TableRef,
    wanted: { jsonSchema: object } & Pick<PrepareOptions, 'columns' | 'ofFiles'>,
  ): Promise<string[]>;
  /** The table as it stands now. Throws `not_found`. */
  head(tenant: TableOwner, ref: TableRef): Promise<TableHead>;
  /** Writes places about to be written to into the ledger, before anything lies there; known ones are left alone. */
  recordStaged(tenant: TableOwner, runId: string, places: readonly StagedPlace[]): Promise<void>;
  /**
   * The checkpoint of a stream, to be asked by each attempt before it reads. Where pointers and checkpoints cannot move
   * together, a table may be ahead of its checkpoint; what it is ahead by is taken over first, also for the other streams
   * that were committed with it. A commit of an earlier attempt that no table has can never land afterwards. Throws
   * `LeaseLost`.
   */
  resume(
    tenant: TableOwner,
    attempt: { runId: string; leaseEpoch: number },
    stream: { ref: TableRef; streamId: string; key: string },
  ): Promise<ResumePoint>;
  /**
   * Moves the pointers of all tables and stores all checkpoints in one transaction, fenced by the run's lease. No
   * files to append mean no snapshot. A repeated call with the same files and batch answers what the first
   * one did. Throws `commit_conflict` after a bounded number of lost races, `base_moved` for a row delta whose table has
   * moved on, `LeaseLost` for an old attempt, `commit_superseded` where a newer one has committed, `staged_file_refused`
   * for a file outside its table, `catalog_moves_one_table` for several checkpoints, or for several tables that move
   * `together`, where the catalog cannot move several tables in one step, and `dependency_unavailable` when the outcome cannot be known yet: call again with the
   * same request. Deletes no staged file before it holds, and of them only the rest of `staged`.
   */
  commit(tenant: TableOwner, request: CommitRequest): Promise<CommitResult>;
  /** Whether a commit of several tables may ask that they move `together`. */
  canPublishTogether(tenant: TableOwner): Promise<boolean>;
  /**
   * Writes the table as a commit would make it; no pointer moves. What it writes is of the run, and swept as what that has
   * staged. Throws as `commit` does, `base_moved` also for a table that has moved from the `base`.
   */
  draft(tenant: TableOwner, request: DraftRequest): Promise<DraftedTable>;
  /**
   * Hands what an ended run has staged for a table to a run that is open: no sweep removes it before that one has ended.
   * False, and nothing is handed, where files are not of that run any more or a sweep is about to remove them.
   */
  takeOver(tx: CallerTransaction, handover: StagedHandover): Promise<boolean>;
  /** The last checkpoint stored under the key. */
  checkpoint(tenant: TableOwner, key: string): Promise<Checkpoint | undefined>;
  /** What holds of the table now. Never throws for a name: one that is not the tenant's is neither writable nor there. */
  describe(tenant: TableOwner, ref: TableRef): Promise<TableDescription>;
  /**
   * The snapshots of the table that its metadata keeps, newest first; none for a table that is not there. `limit` is
   * held between 1 and `MAX_LISTED_SNAPSHOTS`. Throws `destination_not_allowed` outside the tenant's namespaces and
   * `dataset_unreadable` when the metadata is damaged.
   */
  snapshots(tenant: TableOwner, ref: TableRef, options: { limit: number }): Promise<TableSnapshot[]>;
}

export const Tables = service<TablesService>('datasets.tables@1');
