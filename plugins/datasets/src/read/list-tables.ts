import type { TenantTransaction } from '@weir/kernel';
import type { TableRef } from '../contract.ts';
import type { Readable } from '../dataset/readable.ts';

/** A table of the catalog and where its current metadata lies. */
export interface CatalogTable {
  ref: TableRef;
  metadataLocation: string;
}

export interface ListRequest {
  catalogName: string;
  readable: Readable;
  namespace: string | undefined;
  search: string | undefined;
  descending: boolean;
  /** Namespace and table of the last row of the page before. */
  after: readonly string[] | undefined;
  limit: number;
}

/** The readable tables that fit the filters, by namespace and name, and how many there are in all. */
export async function listTables(
  tx: TenantTransaction,
  request: ListRequest,
): Promise<{ tables: CatalogTable[]; total: number }> {
  const { catalogName, readable, namespace, search, descending, after, limit } = request;
  const filter = `catalog_name = $1 and iceberg_type is distinct from 'VIEW' and metadata_location is not null
    and (table_namespace in (select jsonb_array_elements_text($2::jsonb))
      or exists (select 1 from jsonb_to_recordset($3::jsonb) as own (namespace text, "table" text)
        where own.namespace = table_namespace and own."table" = table_name))
    and ($4::text is null or table_namespace = $4)
    and ($5::text is null or position(lower($5) in lower(table_name)) > 0)`;
  const params = [
    catalogName,
    JSON.stringify([...readable.namespaces]),
    JSON.stringify(readable.tables),
    namespace ?? null,
    search ?? null,
  ];
  const order = descending ? 'desc' : 'asc';
  const { rows } = await tx.sql(
    `select table_namespace, table_name, metadata_location from catalog.iceberg_tables where ${filter}
       and ($6::text is null or (table_namespace collate "C", table_name collate "C") ${descending ? '<' : '>'} ($6, $7))
     order by table_namespace collate "C" ${order}, table_name collate "C" ${order} limit $8::int`,
    [...params, after?.[0] ?? null, after?.[1] ?? null, limit],
  );
  const counted = await tx.sql(`select count(*)::int as total from catalog.iceberg_tables where ${filter}`, params);
  const tables = rows.map((row) => ({
    ref: { namespace: String(row.table_namespace), table: String(row.table_name) },
    metadataLocation: String(row.metadata_location),
  }));
  return { tables, total: Number(counted.rows[0]?.total ?? 0) };
}
