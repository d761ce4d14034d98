import type { Tenant } from '@weir/kernel';
import type { Input, Output } from '@weir/kernel/contract';
import { kernelProblems } from '@weir/kernel/contract';
import {
  countFiles,
  currentSchema,
  findSnapshot,
  LakehouseError,
  planPreview,
  type QueryPool,
  type TableMetadata,
} from '@weir/lakehouse';
import {
  DEFAULT_PREVIEW_ROWS,
  type getDataset,
  type listDatasetSnapshots,
  type listDatasets,
  type previewDataset,
} from '../contract/datasets.ts';
import { datasetProblems } from '../contract/problems.ts';
import type { TableRef } from '../contract/tables.ts';
import { readProducers } from '../producer/service.ts';
import {
  datasetId,
  isReadable,
  ownsNamespace,
  type ProducerRow,
  parseDatasetId,
  SHARED_NAMESPACES,
} from '../table-ref.ts';
import type { TableStore } from '../tables/store.ts';
import { identOf } from '../tables/store.ts';
import { pageOf } from './page-of.ts';
import { columnView, itemView, snapshotTwinView, snapshotView } from './view.ts';

export interface DatasetDeps {
  store: TableStore;
  queries: QueryPool;
}

/** A dataset that the tenant may read. */
interface Found {
  ref: TableRef;
  metadataLocation: string;
  metadata: TableMetadata;
  producer: ProducerRow | undefined;
}

/** What can be read of datasets. Every call decides readability before it looks at any file. */
export function datasetService(deps: DatasetDeps) {
  const { store, queries } = deps;
  return {
    async list(tenant: Tenant, query: Input<typeof listDatasets>['query']): Promise<Output<typeof listDatasets>> {
      const tables = (await readableTables(store, tenant)).filter(
        ({ ref }) =>
          (query.namespace === undefined || ref.namespace === query.namespace) &&
          (query.search === undefined || ref.table.toLowerCase().includes(query.search.toLowerCase())),
      );
      const page = pageOf(tables, { ...query, order: query.order ?? 'dataset_id' }, ({ ref }) => datasetId(ref));
      const items = await Promise.all(
        page.items.map(async ({ ref, metadataLocation }) =>
          itemView(ref, await store.scanner.metadata(metadataLocation).catch(() => undefined)),
        ),
      );
      return { items, next_page_token: page.next_page_token, total: tables.length };
    },

    async get(tenant: Tenant, id: string): Promise<Output<typeof getDataset>> {
      const { ref, metadata, metadataLocation, producer } = await find(store, tenant, id);
      const schema = currentSchema(metadata);
      const snapshot = findSnapshot(metadata);
      return {
        ...itemView(ref, metadata),
        table_uuid: metadata['table-uuid'],
        metadata_location: metadataLocation,
        schema: { schema_id: schema['schema-id'], columns: schema.fields.map(columnView) },
        partition_spec: [],
        last_snapshot: snapshot === undefined ? null : snapshotView(snapshot),
        producer: producer === undefined ? null : { kind: producer.kind, id: producer.producerId },
      };
    },

    async preview(
      tenant: Tenant,
      id: string,
      query: Input<typeof previewDataset>['query'],
    ): Promise<Output<typeof previewDataset>> {
      const { ref, metadata } = await find(store, tenant, id);
      const snapshot = findSnapshot(metadata, query.snapshot_id);
      if (snapshot === undefined && query.snapshot_id !== undefined) throw kernelProblems.notFound();
      const limit = query.limit ?? DEFAULT_PREVIEW_ROWS;
      const schema =
        metadata.schemas.find((one) => one['schema-id'] === snapshot?.['schema-id']) ?? currentSchema(metadata);
      const files =
        snapshot === undefined ? [] : await readable(() => store.scanner.files(metadata, snapshot['snapshot-id']));
      const chosen = planPreview(files, limit).map((file) => file.location);
      const { columns, rows } = await readable(() => queries.preview({ files: chosen, schema, limit }));
      return {
        dataset_id: datasetId(ref),
        snapshot_id: snapshot?.['snapshot-id'].toString() ?? null,
        columns: [...columns],
        rows: rows.map((row) => [...row]),
        has_more: countFiles(files).rows > BigInt(rows.length),
      };
    },

    async snapshots(
      tenant: Tenant,
      id: string,
      query: Input<typeof listDatasetSnapshots>['query'],
    ): Promise<Output<typeof listDatasetSnapshots>> {
      const { metadata } = await find(store, tenant, id);
      const key = (snapshot: (typeof metadata.snapshots)[number]) =>
        String(snapshot['sequence-number']).padStart(20, '0');
      const page = pageOf(metadata.snapshots, { ...query, order: query.order ?? '-sequence_number' }, key);
      return {
        items: page.items.map(snapshotTwinView),
        next_page_token: page.next_page_token,
        total: metadata.snapshots.length,
      };
    },
  };
}

/** Charset first (400), then readability (403, also for what does not exist elsewhere), then existence (404). */
async function find(store: TableStore, tenant: Tenant, id: string): Promise<Found> {
  const ref = parseDatasetId(id);
  const { producers, metadataLocation } = await store.db(tenant).transaction(async (tx) => {
    const rows = await readProducers(tx);
    if (!isReadable(tenant, ref, rows)) throw datasetProblems.datasetNotReadable();
    return { producers: rows, metadataLocation: await store.catalog.loadPointer(tx.sql, identOf(ref)) };
  });
  if (metadataLocation === undefined) throw kernelProblems.notFound();
  const metadata = await readable(() => store.scanner.metadata(metadataLocation));
  const producer = producers.find((row) => row.namespace === ref.namespace && row.tableName === ref.table);
  return { ref, metadataLocation, metadata, producer };
}

async function readableTables(
  store: TableStore,
  tenant: Tenant,
): Promise<{ ref: TableRef; metadataLocation: string }[]> {
  return store.db(tenant).transaction(async (tx) => {
    const producers = await readProducers(tx);
    const own = producers.map((row) => row.namespace).filter((namespace) => ownsNamespace(tenant, namespace));
    const tables = await store.catalog.listTables(tx.sql, [...new Set([...own, ...SHARED_NAMESPACES])]);
    return tables
      .map(({ namespace, name, metadataLocation }) => ({ ref: { namespace, table: name }, metadataLocation }))
      .filter(({ ref }) => isReadable(tenant, ref, producers));
  });
}

const TOO_MUCH = new Set(['query_deadline', 'out_of_memory', 'result_too_large']);

/** Reads files; what is wrong with them, or with the bounds of reading, becomes a problem and never a 500. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof LakehouseError)) throw error;
    if (TOO_MUCH.has(error.code)) throw datasetProblems.queryTimeout({ cause: error });
    if (error.code === 'query_busy') throw kernelProblems.dependencyUnavailable({ cause: error });
    throw datasetProblems.datasetUnreadable({ cause: error });
  }
}
