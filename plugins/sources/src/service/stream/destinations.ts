import type { TenantTransaction } from '@weir/kernel';
import type { ProducersService, TablesService } from '@weir/plugin-datasets/contract';
import { isKeptTable } from '../../model/stream/destination-name.ts';
import type { StreamFields } from '../../model/stream/entity.ts';
import { datasetIdOf } from '../../model/stream/view.ts';

/** The services of datasets that the streams of a source need. */
export interface DestinationServices {
  producers: ProducersService;
  tables: TablesService;
}

const MAX_NAME_ROUNDS = 10;

/**
 * The tables of all streams of the tenant, in lower case: engines that cannot tell cases apart must see no two of one
 * name. Until the transaction ends nobody else of the tenant takes tables: two requests that want the same ones in another
 * order would wait for each other. The lock of the source comes first, always.
 */
export async function takenTables(tx: TenantTransaction): Promise<Set<string>> {
  const { tenantId } = tx.tenant;
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sources.destinations/${tenantId}`]);
  const { rows } = await tx.sql('select lower(destination_table) as name from sources.stream', []);
  return new Set(rows.map(({ name }) => String(name)));
}

/**
 * Takes the planned table for a source in the caller's transaction; when another producer has it, the next free name
 * with a number. Throws when there is none.
 */
export async function takePlannedTable(
  tx: TenantTransaction,
  { sourceId, planned }: { sourceId: string; planned: string },
  { producers, tables }: DestinationServices,
): Promise<string> {
  for (let round = 1; round <= MAX_NAME_ROUNDS; round += 1) {
    const table = round === 1 ? planned : `${planned}_${round}`;
    const ref = tables.bronze(tx.tenant, table);
    if (await producers.register(tx, { ref, kind: 'source', producerId: sourceId })) return table;
  }
  throw new Error('no free destination table was found');
}

/**
 * Streams that come to a table, marked where the first commit is to replace what lies there instead of adding to it. In a
 * planned table that is whatever earlier streams have left: a name that comes back gets its table back. In a chosen one it
 * is what a stream of the same name of the same source has left, this one before a reset included; the rows of others stay.
 */
export async function markLeftRows<R extends StreamFields>(
  tx: TenantTransaction,
  rows: readonly R[],
  table: 'planned' | 'chosen',
): Promise<R[]> {
  const ids = rows.map((row) => datasetIdOf(tx.tenant, row));
  const { rows: found } = await tx.sql(
    `select distinct dataset_id, name, source_id from sources.stream_run join sources.sync_run using (tenant_id, run_id)
     where tenant_id = $1 and dataset_id = any ($2::text[])`,
    [tx.tenant.tenantId, ids],
  );
  const written = found.map(({ dataset_id, source_id, name }) => ({ dataset_id, source_id, name }));
  const isLeft = ({ name, sourceId }: R, id: string | undefined) =>
    written.some(
      (left) => left.dataset_id === id && (table === 'planned' || (left.name === name && left.source_id === sourceId)),
    );
  return rows.map((row, at) => (isLeft(row, ids[at]) ? { ...row, resetTable: row.destinationTable } : row));
}

/** Takes the table that somebody chose; false when a stream or another producer has it, or it is one of rejected lines. */
export async function takeChosenTable(
  tx: TenantTransaction,
  { sourceId, table, taken }: { sourceId: string; table: string; taken: ReadonlySet<string> },
  { producers, tables }: DestinationServices,
): Promise<boolean> {
  if (taken.has(table.toLowerCase()) || isKeptTable(table)) return false;
  return producers.register(tx, { ref: tables.bronze(tx.tenant, table), kind: 'source', producerId: sourceId });
}
