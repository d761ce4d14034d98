import type { TenantTransaction } from '@weir/kernel';
import type { CallerTransaction, ProducersService, TableRef } from '../contract.ts';
import { assertWritable } from '../dataset/dataset-id.ts';
import type { ProducedTable } from '../dataset/readable.ts';
import { ProducerEntity } from './entity.ts';

/** The registry of who writes what; it works in the caller's transaction, so that an output and its entry stand together. */
export function producersService(): ProducersService {
  return {
    async register(tx, { ref, kind, producerId }, isGone = async () => false) {
      assertWritable(tx.tenant.scope, ref);
      await tx.sql(
        `insert into datasets.producer (tenant_id, namespace, table_name, kind, producer_id)
         values ($1, $2, $3, $4, $5) on conflict do nothing`,
        [tx.tenant.tenantId, ref.namespace, ref.table, kind, producerId],
      );
      const holder = await holderOf(tx, ref);
      if (holder?.kind !== kind || holder.table !== ref.table) return false;
      if (holder.id === producerId) return true;
      if (!(await isGone(holder.id))) return false;
      await tx.sql(
        `update datasets.producer set producer_id = $4
         where tenant_id = $1 and namespace = $2 and table_name = $3`,
        [tx.tenant.tenantId, ref.namespace, ref.table, producerId],
      );
      return true;
    },
    async taken(tx, ref) {
      assertWritable(tx.tenant.scope, ref);
      return (await holderOf(tx, ref)) !== undefined;
    },
  };
}

/** The producer that has the table, if any; names that differ by case alone are one, as many engines cannot tell them apart. */
export async function holderOf(
  tx: CallerTransaction,
  { namespace, table }: TableRef,
): Promise<{ kind: string; id: string; table: string } | undefined> {
  const { rows } = await tx.sql(
    'select kind, producer_id, table_name from datasets.producer where tenant_id = $1 and namespace = $2 and lower(table_name) = lower($3)',
    [tx.tenant.tenantId, namespace, table],
  );
  const row = rows[0];
  return row && { kind: String(row.kind), id: String(row.producer_id), table: String(row.table_name) };
}

/** Everything that the tenant produces, or what it produces in one namespace. */
export async function producedTables(tx: TenantTransaction, namespace?: string): Promise<ProducedTable[]> {
  const rows = await tx.find(ProducerEntity, namespace === undefined ? {} : { namespace });
  return rows.map((row) => ({ namespace: row.namespace, table: row.tableName, kind: row.kind }));
}
