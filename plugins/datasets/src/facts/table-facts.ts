import type { Tenant } from '@weir/kernel';
import { findSnapshot, type TableMetadata } from '@weir/lakehouse';
import type { DatasetLayer, FactsService, NewestRows, TableFacts, TableRef } from '../contract.ts';
import { datasetId, isDatasetId, parseDatasetId } from '../dataset/dataset-id.ts';
import { mayRead, type Readable, readableBy } from '../dataset/readable.ts';
import { producedTables } from '../producer/producers.ts';
import { listTables } from '../read/list-tables.ts';
import type { ReadDeps } from '../read/readable-tables.ts';
import { sameRows } from '../store/rows-snapshot.ts';

const NO_FILTER = { namespace: undefined, search: undefined, health: undefined, after: undefined, descending: false };

const NAMED = `
select table_namespace, table_name, metadata_location from catalog.iceberg_tables
where catalog_name = $1 and metadata_location is not null and iceberg_type is distinct from 'VIEW'
  and lower(table_namespace || '.' || table_name) in (select jsonb_array_elements_text($2::jsonb))`;

interface Found {
  ref: TableRef;
  metadataLocation: string;
}

/** What other plugins may know of tables; one whose metadata cannot be read is as one that nothing has made. */
export function factsService(deps: Pick<ReadDeps, 'kernel' | 'scanner' | 'catalogName'>): FactsService {
  const { kernel, scanner, catalogName } = deps;
  const newestOf = async ({ ref, metadataLocation }: Found) => {
    try {
      return newestRows(await scanner.metadata(ref, metadataLocation));
    } catch (error) {
      kernel.log.warn({ err: error, dataset_id: datasetId(ref) }, 'table metadata cannot be read');
      return undefined;
    }
  };
  return {
    readable: (tenant, limit) =>
      kernel.db(tenant as Tenant).transaction(async (tx) => {
        const readable = readableBy(tenant.scope, await producedTables(tx));
        const { tables } = await listTables(tx, { ...NO_FILTER, catalogName, readable, limit });
        return tables.map(({ ref }) => datasetId(ref));
      }),

    async of(tenant, ids) {
      const asked = [...new Set(ids.filter(isDatasetId).map((id) => id.toLowerCase()))];
      const { readable, found } = await kernel.db(tenant as Tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(NAMED, [catalogName, JSON.stringify(asked)]);
        return {
          readable: readableBy(tenant.scope, await producedTables(tx)),
          found: rows.map(({ table_namespace, table_name, metadata_location }) => ({
            ref: { namespace: String(table_namespace), table: String(table_name) },
            metadataLocation: String(metadata_location),
          })),
        };
      });
      const own = found.filter(({ ref }) => mayRead(readable, ref));
      const facts = await Promise.all(own.map(async (one) => factsOf(one.ref, await newestOf(one))));
      const hidden = new Set(found.map(({ ref }) => datasetId(ref).toLowerCase()));
      const unmade = ids.filter((id) => isDatasetId(id) && !hidden.has(id.toLowerCase()) && isOpen(readable, id));
      const all = [...unmade.map((id) => factsOf(parseDatasetId(id), undefined)), ...facts];
      return new Map(all.map((one) => [one.datasetId.toLowerCase(), one]));
    },
  };
}

/** Statements write names in any case. */
const isOpen = (readable: Readable, id: string): boolean =>
  mayRead(readable, parseDatasetId(id)) || mayRead(readable, parseDatasetId(id.toLowerCase()));

function factsOf(ref: TableRef, newest: NewestRows | undefined): TableFacts {
  return { datasetId: datasetId(ref), layer: ref.namespace.split('.')[0] as DatasetLayer, newest };
}

function newestRows(metadata: TableMetadata): NewestRows {
  const snapshot = findSnapshot(metadata, undefined);
  return {
    snapshotId: snapshot === undefined ? null : String(snapshot['snapshot-id']),
    sameRows: sameRows(metadata, snapshot).map((one) => String(one['snapshot-id'])),
    committedAt: new Date(snapshot?.['timestamp-ms'] ?? metadata['last-updated-ms']),
    rows: snapshot === undefined ? '0' : (snapshot.summary?.['total-records'] ?? null),
  };
}
