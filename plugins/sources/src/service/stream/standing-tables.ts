import { isDeepStrictEqual } from 'node:util';
import type { Kernel, Tenant } from '@weir/kernel';
import type { FieldFault } from '@weir/kernel/contract';
import { inParallel } from '@weir/work';
import { type PartitionByView, sourceProblems } from '../../contract.ts';
import { destinationTable } from '../../model/stream/destination-name.ts';
import { StreamEntity, type StreamRow } from '../../model/stream/entity.ts';
import { liveSource } from '../row/live-source.ts';
import type { DestinationServices } from './destinations.ts';

/** What a request asks for one stream, as far as partitioning goes; a stream without `stream_id` may be a new one. */
export interface AskedPartitioning {
  stream_id?: string | undefined;
  name?: string | undefined;
  namespace?: string | null | undefined;
  partition_by?: PartitionByView | null | undefined;
  destination?: { table: string } | undefined;
}

/**
 * The streams of a request that ask for a partitioning of a table which is there already and whose stream had another
 * wish before; places are those of the request's list. To be asked before the transaction that changes the streams: a
 * table that comes into being between the two keeps its partitioning all the same.
 */
export async function standingTables(
  kernel: Kernel,
  { tables }: DestinationServices,
  tenant: Tenant,
  { sourceId, asked }: { sourceId: string; asked: readonly AskedPartitioning[] },
): Promise<FieldFault[]> {
  if (!asked.some(({ partition_by }) => partition_by)) return [];
  const { sourceName, known } = await kernel.db(tenant).transaction(async (tx) => ({
    sourceName: (await liveSource(tx, sourceId)).name,
    known: await tx.find(StreamEntity, { sourceId }),
  }));
  const faults = await inParallel(asked, async (item, index) => {
    const { partition_by: wanted } = item;
    if (!wanted) return [];
    const row = known.find(({ streamId, name }) => streamId === item.stream_id || name === item.name);
    const table = item.destination?.table ?? row?.destinationTable ?? plannedTable(sourceName, item);
    if (row !== undefined && isAsBefore(row, table, wanted)) return [];
    const { exists } = await tables.describe(tenant, tables.bronze(tenant, table));
    return exists ? [{ pointer: `/streams/${index}/partition_by`, code: 'partitioning_fixed' }] : [];
  });
  return faults.flat();
}

/** Throws `partitioning_fixed` when one stream asks for the partitioning of a table that is there. */
export async function refuseStandingTable(
  kernel: Kernel,
  services: DestinationServices,
  tenant: Tenant,
  { sourceId, asked }: { sourceId: string; asked: AskedPartitioning },
): Promise<void> {
  const faults = await standingTables(kernel, services, tenant, { sourceId, asked: [asked] });
  if (faults.length > 0) {
    throw sourceProblems.partitioningFixed({ errors: [{ pointer: '/partition_by', code: 'partitioning_fixed' }] });
  }
}

function isAsBefore(row: StreamRow, table: string, wanted: PartitionByView): boolean {
  return table === row.destinationTable && isDeepStrictEqual(row.partitionBy, wanted);
}

function plannedTable(sourceName: string, { namespace, name = '' }: AskedPartitioning): string {
  return destinationTable({ sourceName, namespace: namespace ?? undefined, stream: name }, () => false);
}
