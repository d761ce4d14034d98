import { randomBytes } from 'node:crypto';
import type { Kernel, Tenant } from '@weir/kernel';
import {
  type FileIO,
  type JdbcCatalog,
  parseExact,
  type RemoteCatalog,
  type StoreOptions,
  stringifyMetadata,
  type TableMetadata,
  toLocation,
} from '@weir/lakehouse';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { NewTable, TableRef } from '../contract.ts';
import { copyPointers } from './pointer-copies.ts';
import type { TableScanner } from './table-folders.ts';

export interface TableDeps {
  kernel: Kernel;
  /** The tables by name. Where a remote catalog has them, this is but a copy of what was last seen there. */
  catalog: JdbcCatalog;
  /** The catalog that has the pointers and keeps the metadata; absent when our own database has them. */
  remote?: RemoteCatalog | undefined;
  io: FileIO;
  scanner: TableScanner;
  /** Location below which all tables lie, in the one spelling of locations. */
  warehouse: string;
  /** What opens the store for a process that stages files; it may hold credentials. */
  store: StoreOptions;
  /** Where readers follow what changes; absent when the deployment leaves that plugin out. */
  events?: EventsService | undefined;
}

/** A table as the catalog's pointer shows it. */
export interface CurrentTable {
  metadata: TableMetadata;
  metadataLocation: string;
  /** Its pointer does not exist yet: the commit makes it. */
  isNew?: true;
}

/** A table that its first commit makes, as a commit brings it. */
export function textOfNew({ metadata, metadataLocation }: CurrentTable): NewTable {
  return { metadataLocation, metadata: stringifyMetadata(metadata).toString() };
}

export function newTableOf({ metadata, metadataLocation }: NewTable): CurrentTable {
  return { metadata: parseExact(metadata) as TableMetadata, metadataLocation, isNew: true };
}

const SUFFIX_BYTES = 4;

/** The catalog's name of a table. */
export function identOf({ namespace, table }: TableRef): { namespace: string; name: string } {
  return { namespace, name: table };
}

/** A new folder for a table, never one that a table had before: `<warehouse>/<layer>/<scope>/<table>-<8 hex>`. */
export function newTableLocation(warehouse: string, { namespace, table }: TableRef): string {
  const suffix = randomBytes(SUFFIX_BYTES).toString('hex');
  return `${ownFolders(warehouse, { namespace, table })}${suffix}`;
}

/** What every folder that was made for a table of this name begins with; no other name gives it. */
const ownFolders = (warehouse: string, { namespace, table }: TableRef): string =>
  toLocation([warehouse, ...namespace.split('.'), `${table}-`].join('/'));

/** Whether a location lies in a folder that was made for a table of this name. */
export function liesWithin(warehouse: string, ref: TableRef, location: string): boolean {
  return toLocation(location).startsWith(ownFolders(warehouse, ref));
}

/** The tables as they stand now; undefined for those that are not there. */
export function loadTables(
  deps: TableDeps,
  tenant: Tenant,
  refs: readonly TableRef[],
): Promise<(CurrentTable | undefined)[]> {
  return deps.remote === undefined ? loadOwn(deps, tenant, refs) : loadRemote(deps, deps.remote, { tenant, refs });
}

/** At the pointers of our own catalog, read in one transaction. */
async function loadOwn(
  { kernel, catalog, scanner }: TableDeps,
  tenant: Tenant,
  refs: readonly TableRef[],
): Promise<(CurrentTable | undefined)[]> {
  const locations = await kernel.db(tenant).transaction(async (tx) => {
    const found: (string | undefined)[] = [];
    for (const ref of refs) found.push(await catalog.loadPointer(tx.sql, identOf(ref)));
    return found;
  });
  return Promise.all(
    locations.map(async (metadataLocation, at) =>
      metadataLocation === undefined
        ? undefined
        : { metadataLocation, metadata: await scanner.metadata(refs[at] as TableRef, metadataLocation) },
    ),
  );
}

/** As the remote catalog has them. Its pointers are copied into ours, from where readers find the tables. */
async function loadRemote(
  deps: TableDeps,
  remote: RemoteCatalog,
  { tenant, refs }: { tenant: Tenant; refs: readonly TableRef[] },
): Promise<(CurrentTable | undefined)[]> {
  const tables = await Promise.all(refs.map((ref) => remote.loadTable(identOf(ref))));
  for (const [at, table] of tables.entries()) {
    if (table !== undefined) deps.scanner.remember(refs[at] as TableRef, table);
  }
  const seen = refs.map((ref, at) => ({ ident: identOf(ref), table: tables[at] }));
  await copyPointers(
    deps,
    tenant,
    seen.flatMap(({ ident, table }) => (table === undefined ? [] : { ident, table })),
  );
  return tables;
}
