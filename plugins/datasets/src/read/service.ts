import type { Tenant } from '@weir/kernel';
import type { Input, Output } from '@weir/kernel/contract';
import type { QueryPool, TableMetadata } from '@weir/lakehouse';
import type {
  getDataset,
  getDatasetSchema,
  listDatasetSnapshots,
  listDatasets,
  listLegacySnapshots,
  listLegacyTables,
  listSchemaVersions,
  previewDataset,
} from '../contract.ts';
import { detailView, itemView, legacyTableView, snapshotTwinView } from '../dataset/dataset-view.ts';
import { schemaView } from '../dataset/schema-view.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import { pageOf } from './page-of.ts';
import { arrowPreview, jsonPreview } from './preview.ts';
import { openTable, type ReadDeps, readableTables } from './readable-tables.ts';
import { askedSchema, schemaHistory } from './schema-history.ts';

export interface DatasetDeps extends ReadDeps {
  pool: QueryPool;
}

type Query<E> = Input<E>['query'];

/** What can be read of datasets; every way in passes the one decision of `readableBy`. */
export function datasetService(deps: DatasetDeps) {
  return {
    /** The readable datasets by id; one whose metadata is broken is listed by its names alone. */
    list: (tenant: Tenant, query: Query<typeof listDatasets>): Promise<Output<typeof listDatasets>> =>
      readableTables(deps, tenant, { asked: { ...query, order: query.order ?? 'dataset_id' }, view: itemView }),

    /** One dataset with its schema. */
    async get(tenant: Tenant, id: string): Promise<Output<typeof getDataset>> {
      const { ref, metadata, location, producer } = await openTable(deps, tenant, id);
      return asProblems(async () => detailView(ref, { metadata, location }, producer));
    },

    /** A page of rows of the newest snapshot or of the named one, read from as few files as hold them. */
    async preview(tenant: Tenant, id: string, query: Query<typeof previewDataset>) {
      const { ref, metadata } = await openTable(deps, tenant, id);
      return asProblems(() => jsonPreview(deps, { ref, metadata, query }));
    },

    /** The same page as an Arrow stream. */
    async previewArrow(tenant: Tenant, id: string, query: Query<typeof previewDataset>) {
      const { ref, metadata } = await openTable(deps, tenant, id);
      return asProblems(() => arrowPreview(deps, { ref, metadata, query }));
    },

    /** The schema now, of a snapshot, or of a version. */
    async schema(tenant: Tenant, id: string, query: Query<typeof getDatasetSchema>) {
      const { ref, metadata } = await openTable(deps, tenant, id);
      return asProblems(async () => schemaView(ref, metadata, askedSchema(metadata, query)));
    },

    /** The versions of the schema, newest first unless ordered otherwise. */
    async schemaHistory(tenant: Tenant, id: string, query: Query<typeof listSchemaVersions>) {
      const table = await openTable(deps, tenant, id);
      return asProblems(() => schemaHistory(deps.scanner, table, query));
    },

    /** The snapshots of a dataset, newest first unless ordered otherwise. */
    async snapshots(
      tenant: Tenant,
      id: string,
      query: Query<typeof listDatasetSnapshots>,
    ): Promise<Output<typeof listDatasetSnapshots>> {
      const { metadata } = await openTable(deps, tenant, id);
      const { page, ...paging } = snapshotPage(metadata, 'sequence_number', query);
      return { items: page.map(snapshotTwinView), ...paging };
    },

    /** The readable tables, in the deprecated form. */
    legacyTables: (tenant: Tenant, query: Query<typeof listLegacyTables>): Promise<Output<typeof listLegacyTables>> =>
      readableTables(deps, tenant, { asked: { ...query, order: query.order ?? 'table' }, view: legacyTableView }),

    /** The snapshots of a table, in the deprecated form. */
    async legacySnapshots(
      tenant: Tenant,
      id: string,
      query: Query<typeof listLegacySnapshots>,
    ): Promise<Output<typeof listLegacySnapshots>> {
      const { metadata } = await openTable(deps, tenant, id);
      const { page, ...paging } = snapshotPage(metadata, 'legacy_sequence_number', query);
      return { items: page.map(snapshotTwinView), ...paging };
    },
  };
}

function snapshotPage(metadata: TableMetadata, list: string, asked: Query<typeof listDatasetSnapshots>) {
  const oldestFirst = metadata.snapshots.toSorted((a, b) => (a['sequence-number'] < b['sequence-number'] ? -1 : 1));
  const idOf = (snapshot: (typeof oldestFirst)[number]) => String(snapshot['snapshot-id']);
  return pageOf(oldestFirst, { asked, list: `${list} ${metadata['table-uuid']}`, idOf });
}
