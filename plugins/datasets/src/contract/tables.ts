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
  tableUuid: string;
}

/** The files that one commit brings to one table, and what the snapshot says about them. */
export interface TableCommit {
  ref: TableRef;
  /** `overwrite` replaces all rows of the table by those of `files`, in one snapshot; with none it empties the table. */
  mode: 'append' | 'overwrite';
  /** What the stager returned, unchanged. */
  files: readonly object[];
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
  counters: Record<string, number>;
}

export interface CommitRequest {
  runId: string;
  /** Of the attempt that commits; an older attempt is refused with `LeaseLost`. */
  leaseEpoch: number;
  /** Each table at most once. */
  tables: readonly TableCommit[];
  checkpoints: readonly CheckpointWrite[];
}

export interface CommitResult {
  /** In the order of the request; `snapshotId` is the decimal id of the snapshot that this commit made, null if none. */
  tables: { ref: TableRef; snapshotId: string | null }[];
}

export interface Checkpoint {
  state: unknown;
  counters: Record<string, number>;
  runId: string;
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

/** Writes to the tables of one tenant. No call reaches a table outside the tenant's own namespaces. */
export interface TablesService {
  /** The reference of a bronze table of the tenant. Throws `invalid_dataset_id` on a name outside `[A-Za-z0-9_]`. */
  bronze(tenant: TableOwner, table: string): TableRef;
  /**
   * Makes the table, or evolves its schema additively, so that it holds every column of the JSON schema; idempotent.
   * Throws `destination_not_allowed` outside the tenant's namespaces and `schema_incompatible` on any other change.
   */
  prepare(tenant: TableOwner, ref: TableRef, jsonSchema: object): Promise<PreparedTable>;
  /** Writes the locations of files about to be staged into the ledger; already known ones are left alone. */
  recordStaged(tenant: TableOwner, runId: string, locations: readonly string[]): Promise<void>;
  /**
   * Moves the pointers of all tables and stores all checkpoints in one transaction, fenced by the run's lease. No
   * files to append mean no snapshot. A repeated call with the same files and batch answers what the first
   * one did. Throws `commit_conflict` after a bounded number of lost races, `LeaseLost` for an old attempt,
   * `staged_file_refused` for a file outside its table, and `dependency_unavailable` when the outcome cannot be known
   * yet: call again with the same request. Never deletes a file.
   */
  commit(tenant: TableOwner, request: CommitRequest): Promise<CommitResult>;
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
