import type { TenantTransaction } from '@weir/kernel';
import type { TableRef } from '../contract.ts';
import type { Readable } from '../dataset/readable.ts';
import type { Block, FoundHealth } from '../model/found-health.ts';

/** A table of the catalog and where its current metadata lies. */
export interface CatalogTable {
  ref: TableRef;
  metadataLocation: string;
  health: FoundHealth;
}

const STATUS = `case when h.blocked is not null then 'blocked' when h.due <> '[]' then 'due'
  when h.checked_at is not null then 'healthy' end`;
const TABLES = `catalog.iceberg_tables t left join datasets.table_health h
  on h.tenant_id = $1 and h.namespace = t.table_namespace and h.table_name = t.table_name`;

export interface ListRequest {
  catalogName: string;
  readable: Readable;
  namespace: string | undefined;
  search: string | undefined;
  health: FoundHealth['status'] | undefined;
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
  const { catalogName, readable, namespace, search, health, descending, after, limit } = request;
  const filter = `t.catalog_name = $2 and t.iceberg_type is distinct from 'VIEW' and t.metadata_location is not null
    and (t.table_namespace in (select jsonb_array_elements_text($3::jsonb))
      or exists (select 1 from jsonb_to_recordset($4::jsonb) as own (namespace text, "table" text)
        where own.namespace = t.table_namespace and own."table" = t.table_name))
    and ($5::text is null or t.table_namespace = $5)
    and ($6::text is null or position(lower($6) in lower(t.table_name)) > 0)
    and ($7::text is null or ${STATUS} = $7)`;
  const params = [
    ...[tx.tenant.tenantId, catalogName, JSON.stringify([...readable.namespaces]), JSON.stringify(readable.tables)],
    ...[namespace ?? null, search ?? null, health ?? null],
  ];
  const order = descending ? 'desc' : 'asc';
  const { rows } = await tx.sql(
    `select t.table_namespace, t.table_name, t.metadata_location, ${STATUS} as status, h.blocked from ${TABLES}
     where ${filter} and ($8::text is null
       or (t.table_namespace collate "C", t.table_name collate "C") ${descending ? '<' : '>'} ($8, $9))
     order by t.table_namespace collate "C" ${order}, t.table_name collate "C" ${order} limit $10::int`,
    [...params, after?.[0] ?? null, after?.[1] ?? null, limit],
  );
  const counted = await tx.sql(`select count(*)::int as total from ${TABLES} where ${filter}`, params);
  const tables = rows.map((row) => ({
    ref: { namespace: String(row.table_namespace), table: String(row.table_name) },
    metadataLocation: String(row.metadata_location),
    health: { status: row.status as FoundHealth['status'], blocked: row.blocked as Block | null },
  }));
  return { tables, total: Number(counted.rows[0]?.total ?? 0) };
}
