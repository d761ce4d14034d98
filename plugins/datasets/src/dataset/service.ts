import { decodePageToken, encodePageToken, type Kernel, type Tenant } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import type { JdbcCatalog, QueryPool, Scanner, TableMetadata } from '@weir/lakehouse';
import {
  datasetProblems,
  type getDataset,
  type listDatasetSnapshots,
  type listDatasets,
  type previewDataset,
  type TableRef,
} from '../contract.ts';
import { holderOf, producedTables } from '../producer/producers.ts';
import { asProblems } from '../table/lakehouse-problem.ts';
import { datasetId, parseDatasetId } from './dataset-id.ts';
import { detailView, itemView, snapshotTwinView } from './dataset-view.ts';
import { listTables } from './list-tables.ts';
import { jsonPreview } from './preview.ts';
import { mayRead, readableBy } from './readable.ts';

export interface DatasetDeps {
  kernel: Kernel;
  catalog: JdbcCatalog;
  catalogName: string;
  scanner: Scanner;
  pool: QueryPool;
}

/** A table that the tenant may read, at its current metadata. */
interface OpenTable {
  ref: TableRef;
  location: string;
  metadata: TableMetadata;
  producer: { kind: string; id: string } | undefined;
}

const NEWEST_FIRST = '-sequence_number';

/** What can be read of datasets; every way in passes the one decision of `readableBy`. */
export function datasetService(deps: DatasetDeps) {
  return {
    /** The readable datasets by id; one whose metadata is broken is listed by its names alone. */
    list: (tenant: Tenant, query: Input<typeof listDatasets>['query']) => list(deps, tenant, query),

    /** One dataset with its schema. */
    async get(tenant: Tenant, id: string): Promise<Output<typeof getDataset>> {
      const { ref, metadata, location, producer } = await open(deps, tenant, id);
      return asProblems(async () => detailView(ref, { metadata, location }, producer));
    },

    /** A page of rows of the newest snapshot or of the named one, read from as few files as hold them. */
    async preview(tenant: Tenant, id: string, query: Input<typeof previewDataset>['query']) {
      const { ref, metadata } = await open(deps, tenant, id);
      return asProblems(() => jsonPreview(deps, { ref, metadata, query }));
    },

    /** The snapshots of a dataset, newest first unless ordered otherwise. */
    async snapshots(tenant: Tenant, id: string, query: Input<typeof listDatasetSnapshots>['query']) {
      const { metadata } = await open(deps, tenant, id);
      return snapshotPage(metadata, query);
    },
  };
}

async function list(
  { kernel, scanner, catalogName }: DatasetDeps,
  tenant: Tenant,
  query: Input<typeof listDatasets>['query'],
): Promise<Output<typeof listDatasets>> {
  const { namespace, search, page_token: token } = query;
  const [limit, order] = [query.limit ?? DEFAULT_PAGE_SIZE, query.order ?? 'dataset_id'];
  const place = token === undefined ? undefined : decodePageToken(token, order);
  const after = place === undefined ? undefined : [place.value ?? '', place.id];
  const { tables, total } = await kernel.db(tenant).transaction(async (tx) => {
    const readable = readableBy(tenant.scope, await producedTables(tx));
    const descending = order.startsWith('-');
    return listTables(tx, { catalogName, readable, namespace, search, descending, after, limit: limit + 1 });
  });
  const page = tables.slice(0, limit);
  const items = await Promise.all(
    page.map(async ({ ref, metadataLocation }) => {
      try {
        return itemView(ref, await scanner.metadata(metadataLocation));
      } catch (error) {
        kernel.log.warn({ err: error, dataset_id: datasetId(ref) }, 'table metadata cannot be read');
        return itemView(ref, undefined);
      }
    }),
  );
  const last = tables.length > limit ? page.at(-1)?.ref : undefined;
  return {
    items,
    total,
    next_page_token: last === undefined ? null : encodePageToken({ order, value: last.namespace, id: last.table }),
  };
}

/** Finds a table for reading: 400 for a malformed id, 403 outside what is readable, 404 only inside of it. */
async function open({ kernel, catalog, scanner }: DatasetDeps, tenant: Tenant, id: string): Promise<OpenTable> {
  const ref = parseDatasetId(id);
  const found = await kernel.db(tenant).transaction(async (tx) => {
    const readable = readableBy(tenant.scope, await producedTables(tx, ref.namespace));
    if (!mayRead(readable, ref)) throw datasetProblems.datasetNotReadable();
    const location = await catalog.loadPointer(tx.sql, { namespace: ref.namespace, name: ref.table });
    if (location === undefined) throw kernelProblems.notFound();
    return { location, producer: await holderOf(tx, ref) };
  });
  const metadata = await asProblems(() => scanner.metadata(found.location));
  return { ref, ...found, metadata };
}

function snapshotPage(
  metadata: TableMetadata,
  query: Input<typeof listDatasetSnapshots>['query'],
): Output<typeof listDatasetSnapshots> {
  const [limit, order] = [query.limit ?? DEFAULT_PAGE_SIZE, query.order ?? NEWEST_FIRST];
  const oldestFirst = metadata.snapshots.toSorted((a, b) => (a['sequence-number'] < b['sequence-number'] ? -1 : 1));
  const ordered = order === NEWEST_FIRST ? oldestFirst.toReversed() : oldestFirst;
  const after = query.page_token === undefined ? undefined : decodePageToken(query.page_token, order).id;
  const start = after === undefined ? 0 : ordered.findIndex((one) => String(one['snapshot-id']) === after) + 1;
  if (after !== undefined && start === 0) throw kernelProblems.invalidPageToken();
  const page = ordered.slice(start, start + limit);
  const last = start + limit < ordered.length ? page.at(-1) : undefined;
  return {
    items: page.map(snapshotTwinView),
    next_page_token:
      last === undefined ? null : encodePageToken({ order, value: null, id: String(last['snapshot-id']) }),
    total: ordered.length,
  };
}
