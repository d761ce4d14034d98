import { decodePageToken, encodePageToken, type Kernel, type Tenant } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, kernelProblems } from '@weir/kernel/contract';
import type { JdbcCatalog, TableMetadata } from '@weir/lakehouse';
import { datasetProblems, type TableRef } from '../contract.ts';
import { datasetId, parseDatasetId } from '../dataset/dataset-id.ts';
import { mayRead, readableBy } from '../dataset/readable.ts';
import type { FoundHealth } from '../model/found-health.ts';
import { holderOf, producedTables } from '../producer/producers.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import type { TableScanner } from '../store/table-folders.ts';
import type { CurrentTable } from '../store/table-store.ts';
import { listTables } from './list-tables.ts';

export interface ReadDeps {
  kernel: Kernel;
  catalog: JdbcCatalog;
  catalogName: string;
  scanner: TableScanner;
  /** The table as a remote catalog has it now; absent where the pointers are our own. */
  remoteTable?: ((tenant: Tenant, ref: TableRef) => Promise<CurrentTable | undefined>) | undefined;
}

/** A table that the tenant may read, at its current metadata. */
export interface OpenTable {
  ref: TableRef;
  location: string;
  metadata: TableMetadata;
  producer: { kind: string; id: string } | undefined;
}

/** What a list of tables is asked for; `order` names the list, with `-` before it for descending. */
export interface TablesAsked {
  namespace?: string;
  search?: string;
  health?: NonNullable<FoundHealth['status']>;
  limit?: number;
  page_token?: string;
  order: string;
}

/** Finds a table for reading: 400 for a malformed id, 403 outside what is readable, 404 only inside of it. */
export async function openTable(
  { kernel, catalog, scanner, remoteTable }: ReadDeps,
  tenant: Tenant,
  id: string,
): Promise<OpenTable> {
  const ref = parseDatasetId(id);
  const found = await kernel.db(tenant).transaction(async (tx) => {
    const readable = readableBy(tenant.scope, await producedTables(tx, ref.namespace));
    if (!mayRead(readable, ref)) throw datasetProblems.datasetNotReadable();
    const location = await catalog.loadPointer(tx.sql, { namespace: ref.namespace, name: ref.table });
    if (location === undefined) throw kernelProblems.notFound();
    return { location, producer: await holderOf(tx, ref) };
  });
  return asProblems(async () => {
    const remote = await remoteTable?.(tenant, ref);
    if (remote === undefined) return { ref, ...found, metadata: await scanner.metadata(ref, found.location) };
    return { ref, ...found, location: remote.metadataLocation, metadata: remote.metadata };
  });
}

type TableView<T> = (ref: TableRef, metadata: TableMetadata | undefined, health: FoundHealth) => T;

/** A page of the readable tables by id; `view` gets no metadata for one whose metadata cannot be read. */
export async function readableTables<T>(
  { kernel, scanner, catalogName }: ReadDeps,
  tenant: Tenant,
  { asked, view }: { asked: TablesAsked; view: TableView<T> },
): Promise<{ items: T[]; total: number; next_page_token: string | null }> {
  const { namespace, search, health, order, page_token: token } = asked;
  const limit = asked.limit ?? DEFAULT_PAGE_SIZE;
  const list = ['tables', order, namespace, search, health];
  const place = token === undefined ? undefined : decodePageToken(list, token);
  const after = place === undefined ? undefined : [place.value ?? '', place.id];
  const { tables, total } = await kernel.db(tenant).transaction(async (tx) => {
    const readable = readableBy(tenant.scope, await producedTables(tx));
    const descending = order.startsWith('-');
    const filter = { namespace, search, health };
    return listTables(tx, { catalogName, readable, ...filter, descending, after, limit: limit + 1 });
  });
  const page = tables.slice(0, limit);
  const items = await Promise.all(
    page.map(async ({ ref, metadataLocation, health: found }) => {
      try {
        return view(ref, await scanner.metadata(ref, metadataLocation), found);
      } catch (error) {
        kernel.log.warn({ err: error, dataset_id: datasetId(ref) }, 'table metadata cannot be read');
        return view(ref, undefined, found);
      }
    }),
  );
  const last = tables.length > limit ? page.at(-1)?.ref : undefined;
  return {
    items,
    total,
    next_page_token: last === undefined ? null : encodePageToken(list, { value: last.namespace, id: last.table }),
  };
}
