import { LakehouseError } from '../error/error.ts';
import type { TableIdent } from './catalog.ts';

/** Runs one statement in whatever transaction the caller holds. */
export type Sql = (
  text: string,
  params: unknown[],
) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

export type JdbcCatalog = ReturnType<typeof jdbcCatalog>;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Table pointers in the layout of Iceberg's JDBC catalog (`iceberg_tables` with `iceberg_type`, as Java's version 1 and
 * PyIceberg's SQL catalog keep it). It opens no connection: the caller owns the transaction, its role and its row
 * security, so that pointers and whatever belongs to them move together.
 */
export function jdbcCatalog({ catalogName, schema = 'catalog' }: { catalogName: string; schema?: string }) {
  const tables = `${quoted(schema)}.iceberg_tables`;
  const namespaces = `${quoted(schema)}.iceberg_namespace_properties`;
  const key = 'catalog_name = $1 and table_namespace = $2 and table_name = $3';
  const at = (ident: TableIdent): unknown[] => [catalogName, ident.namespace, ident.name];
  return {
    /** Where the table's current metadata lies, or undefined if there is no such table. */
    async loadPointer(sql: Sql, ident: TableIdent): Promise<string | undefined> {
      const { rows } = await sql(`select metadata_location from ${tables} where ${key}`, at(ident));
      return (rows[0]?.metadata_location as string | null | undefined) ?? undefined;
    },

    /** Keeps the pointer where it is until the transaction ends; others may do so at the same time. */
    async holdPointer(sql: Sql, ident: TableIdent): Promise<void> {
      await sql(`select 1 from ${tables} where ${key} for share`, at(ident));
    },

    /** Registers a new table; `table_exists` when the name is taken. The transaction stays usable. */
    async insertTable(sql: Sql, ident: TableIdent, metadataLocation: string): Promise<void> {
      const columns = 'catalog_name, table_namespace, table_name, metadata_location, iceberg_type';
      const insert = `insert into ${tables} (${columns}) values ($1, $2, $3, $4, 'TABLE') on conflict do nothing`;
      const { rowCount } = await sql(insert, [...at(ident), metadataLocation]);
      if (rowCount !== 1) throw new LakehouseError('table_exists', 'A table of this name exists already');
    },

    /** Moves the pointer if it still is where the caller saw it; false means that another commit came first. */
    async swapPointer(sql: Sql, ident: TableIdent, expected: string, next: string): Promise<boolean> {
      const { rowCount } = await sql(
        `update ${tables} set metadata_location = $4, previous_metadata_location = $5
           where ${key} and metadata_location = $5 and iceberg_type is distinct from 'VIEW'`,
        [...at(ident), next, expected],
      );
      return rowCount === 1;
    },

    /** The tables of the given namespaces, by namespace and name. */
    async listTables(
      sql: Sql,
      namespaceNames: readonly string[],
    ): Promise<(TableIdent & { metadataLocation: string })[]> {
      const { rows } = await sql(
        `select table_namespace, table_name, metadata_location from ${tables}
           where catalog_name = $1 and table_namespace = any($2) and iceberg_type is distinct from 'VIEW'
           order by table_namespace, table_name`,
        [catalogName, [...namespaceNames]],
      );
      return rows.map((row) => ({
        namespace: String(row.table_namespace),
        name: String(row.table_name),
        metadataLocation: String(row.metadata_location),
      }));
    },

    /** Makes a namespace visible to other clients of the catalog, even while it has no table. */
    async ensureNamespace(sql: Sql, namespace: string): Promise<void> {
      const columns = 'catalog_name, namespace, property_key, property_value';
      const insert = `insert into ${namespaces} (${columns}) values ($1, $2, 'exists', 'true') on conflict do nothing`;
      await sql(insert, [catalogName, namespace]);
    },

    /** Forgets a table and leaves its files; false when there was none. */
    async dropTable(sql: Sql, ident: TableIdent): Promise<boolean> {
      return (await sql(`delete from ${tables} where ${key}`, at(ident))).rowCount === 1;
    },
  };
}
