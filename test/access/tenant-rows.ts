import type { TestDatabase } from '@weir/kernel/testing';

/** Every row of a tenant, table by table: of each table that has a column for tenants. */
export async function tenantRows(
  { peek }: Pick<TestDatabase, 'peek'>,
  alias: string,
): Promise<Record<string, readonly string[]>> {
  const [tenant] = await peek('select tenant_id from kernel.tenant where alias = $1', [alias]);
  const tables = await peek(
    `select c.table_schema, c.table_name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
     where c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1, 2`,
  );
  const found: Record<string, readonly string[]> = {};
  for (const { table_schema, table_name } of tables) {
    const name = `${table_schema}.${table_name}`;
    const rows = await peek(`select to_jsonb(r)::text as row from ${name} r where tenant_id::text = $1 order by 1`, [
      tenant?.tenant_id,
    ]);
    found[name] = rows.map(({ row }) => String(row));
  }
  return found;
}
