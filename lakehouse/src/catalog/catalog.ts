import type { TableMetadata } from '../metadata/metadata.ts';

/** A table by dotted namespace (`bronze.demo`) and name. */
export type TableIdent = { readonly namespace: string; readonly name: string };

/** A table as a catalog shows it. */
export type LoadedTable = { readonly metadataLocation: string; readonly metadata: TableMetadata };

/** A requirement or an update in the words of the Iceberg REST specification; ids in it are bigint. */
export type CatalogWord = { readonly [member: string]: unknown };

/** What has to hold of a table, and what becomes of it then. */
export type TableChange = {
  readonly requirements: readonly CatalogWord[];
  readonly updates: readonly CatalogWord[];
};

/**
 * How a commit ended. `unknown`: the answer was lost, the change may stand or may yet come to stand; only the table
 * can tell, and no file of the commit may be removed.
 */
export type CommitOutcome = 'committed' | 'conflict' | 'unknown';

/** What a new table is made of. The catalog may give its own field ids: read them from the answer. */
export type NewTable = {
  readonly location?: string;
  readonly schema: object;
  readonly partitionSpec?: object;
  readonly properties?: Readonly<Record<string, string>>;
};

/**
 * A catalog that keeps table metadata itself and is told of changes: the Iceberg REST protocol. Every member may throw
 * `store_unavailable` (no answer; for what writes except commits, the outcome is then open) or `store_denied`.
 */
export type RemoteCatalog = {
  /** The table as it is now, or undefined if there is none. */
  loadTable(ident: TableIdent): Promise<LoadedTable | undefined>;
  /**
   * Makes an empty table; `table_exists` when the name is taken, or the table lies elsewhere than it was to. Its namespace
   * has to be there.
   */
  createTable(ident: TableIdent, table: NewTable): Promise<LoadedTable>;
  /** Changes one table if its requirements hold. Never throws `store_unavailable`: that is the outcome `unknown`. */
  commitTable(ident: TableIdent, change: TableChange): Promise<CommitOutcome>;
  /** Whether `commitTables` is to be had; where it is not, tables move one by one. */
  commitsManyTables(): Promise<boolean>;
  /** Changes all of several tables, or none; as `commitTable` otherwise. */
  commitTables(changes: readonly ({ readonly ident: TableIdent } & TableChange)[]): Promise<CommitOutcome>;
  /** The tables of the given namespaces, by namespace and name; an absent namespace has none. */
  listTables(namespaces: readonly string[]): Promise<TableIdent[]>;
  /** Makes a namespace and those above it, if they are not there. */
  ensureNamespace(namespace: string): Promise<void>;
  /** Forgets a table and leaves its files; false when there was none. */
  dropTable(ident: TableIdent): Promise<boolean>;
};
