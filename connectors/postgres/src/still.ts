import type { Session } from './connect.ts';
import { fault } from './fault.ts';
import { identifier, literal } from './sql-text.ts';
import type { Table } from './table.ts';
import { qualified } from './table-parts.ts';

/**
 * Makes sure that a table is, and stays, what the snapshot shows of it. A table whose rows were written anew, or cut, between
 * the two would look empty to the snapshot, as Postgres keeps no older rows of it: `schema_changed`. From here on the lock that
 * each reading has, which holds up no reader and no writer, keeps such changes waiting until the snapshot is given back.
 */
export async function assertStill(session: Session, table: Table): Promise<void> {
  const columns = table.columns.map(({ name }) => identifier(name)).join(', ');
  await session.rows(`SELECT ${columns} FROM ${qualified(table)} LIMIT 0`);
  if (table.form !== 'heap' && table.form !== 'partitioned') return;
  // The function looks at the newest state of the catalog, the row is that of the snapshot.
  const [row] = await session.rows(
    `SELECT bool_and(c.relfilenode = coalesce(pg_catalog.pg_relation_filenode(c.oid), 0)) AS still
     FROM pg_catalog.pg_class c WHERE c.relkind <> 'p' AND (c.oid = $1::oid
       OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree(${literal(table.oid)}::oid::regclass)))`,
    [table.oid],
  );
  if (row?.still === 'f') throw fault('schema_changed', table.name);
}
