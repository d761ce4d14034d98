import type { TenantTransaction } from '@weir/kernel';
import type { ProducersService, TablesService } from '@weir/plugin-datasets/contract';

/** The services of datasets that the streams of a source need. */
export interface DestinationServices {
  producers: ProducersService;
  tables: TablesService;
}

const MAX_NAME_ROUNDS = 10;

/** The tables of all streams of the tenant, in lower case: engines that cannot tell cases apart must see no two of one name. */
export async function takenTables(tx: TenantTransaction): Promise<Set<string>> {
  const { rows } = await tx.sql('select lower(destination_table) as name from sources.stream', []);
  return new Set(rows.map(({ name }) => String(name)));
}

/** A table that was taken; `known` when an earlier stream of the same source has left it. */
export interface TakenTable {
  table: string;
  known: boolean;
}

/**
 * Takes the planned table for a source in the caller's transaction; when another producer has it, the next free name
 * with a number.
 */
export async function takePlannedTable(
  tx: TenantTransaction,
  { sourceId, planned }: { sourceId: string; planned: string },
  { producers, tables }: DestinationServices,
): Promise<TakenTable> {
  for (let round = 1; round <= MAX_NAME_ROUNDS; round += 1) {
    const table = round === 1 ? planned : `${planned}_${round}`;
    const ref = tables.bronze(tx.tenant, table);
    const known = await producers.taken(tx, ref);
    if (await producers.register(tx, { ref, kind: 'source', producerId: sourceId })) return { table, known };
  }
  throw new Error('no free destination table was found');
}

/** Takes the table that somebody chose; false when a stream or another producer of the tenant has it. */
export async function takeChosenTable(
  tx: TenantTransaction,
  { sourceId, table, taken }: { sourceId: string; table: string; taken: ReadonlySet<string> },
  { producers, tables }: DestinationServices,
): Promise<boolean> {
  if (taken.has(table.toLowerCase())) return false;
  return producers.register(tx, { ref: tables.bronze(tx.tenant, table), kind: 'source', producerId: sourceId });
}
