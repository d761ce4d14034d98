import type { ProducersService } from '../contract/producers.ts';
import type { CallerTransaction } from '../contract/tables.ts';
import { assertWritable, type ProducerRow } from '../table-ref.ts';

/** The registry of what produces which table, in `datasets.producer`. */
export function producersService(): ProducersService {
  return {
    async register(tx, { ref, kind, producerId }) {
      assertWritable(tx.tenant, ref);
      await tx.sql(
        `insert into datasets.producer (tenant_id, namespace, table_name, kind, producer_id)
         values ($1, $2, $3, $4, $5) on conflict do nothing`,
        [tx.tenant.tenantId, ref.namespace, ref.table, kind, producerId],
      );
      const { rows } = await tx.sql(
        'select kind, producer_id from datasets.producer where namespace = $1 and table_name = $2',
        [ref.namespace, ref.table],
      );
      return rows[0]?.kind === kind && rows[0]?.producer_id === producerId;
    },
    async taken(tx, ref) {
      const { rows } = await tx.sql(
        'select 1 as taken from datasets.producer where namespace = $1 and table_name = $2',
        [ref.namespace, ref.table],
      );
      return rows.length > 0;
    },
  };
}

/** Everything that the tenant's sources, transforms and pipelines have registered. */
export async function readProducers(tx: CallerTransaction): Promise<ProducerRow[]> {
  const { rows } = await tx.sql('select namespace, table_name, kind, producer_id from datasets.producer', []);
  return rows.map((row) => ({
    namespace: String(row.namespace),
    tableName: String(row.table_name),
    kind: String(row.kind),
    producerId: String(row.producer_id),
  }));
}
