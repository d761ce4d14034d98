import type { Kernel, PageOrders, Tenant } from '@weir/kernel';
import { type Input, Problem } from '@weir/kernel/contract';
import { datasetProblems, type TableSnapshot, type TablesService } from '@weir/plugin-datasets/contract';
import { inParallel } from '@weir/work';
import type { listTableFormatRefs, TableFormatRefView } from '../../contract.ts';
import { StreamEntity, type StreamRow } from '../../model/stream/entity.ts';
import { datasetIdOf } from '../../model/stream/view.ts';
import { liveSource } from '../row/live-source.ts';

const ORDERS: PageOrders = { orders: { name: 'name' }, first: 'name', id: 'streamId' };

/** What the tables of the streams of a source stand at. */
export function tableRefsService({ kernel, tables }: { kernel: Kernel; tables: TablesService }) {
  return {
    /** The streams of a source by keyset page, each with the newest snapshots of its table, as the table tells them. */
    async list(tenant: Tenant, sourceId: string, query: Input<typeof listTableFormatRefs>['query']) {
      const { stream_id: streamId, enabled, per_stream: limit = 1, ...request } = query;
      const where = {
        sourceId,
        ...(streamId === undefined ? {} : { streamId }),
        ...(enabled === undefined ? {} : { enabled }),
      };
      const { items, next_page_token } = await kernel.db(tenant).transaction(async (tx) => {
        await liveSource(tx, sourceId);
        return tx.page(StreamEntity, where, request, ORDERS);
      });
      const refs = await inParallel(items, async (row) =>
        refView(tenant, row, await readableSnapshots(tables, tenant, { row, limit })),
      );
      return { items: refs, next_page_token, total: null };
    },
  };
}

/** Undefined when the files of the table are damaged. */
async function readableSnapshots(
  tables: TablesService,
  tenant: Tenant,
  { row, limit }: { row: StreamRow; limit: number },
): Promise<TableSnapshot[] | undefined> {
  try {
    return await tables.snapshots(tenant, tables.bronze(tenant, row.destinationTable), { limit });
  } catch (error) {
    if (error instanceof Problem && error.code === datasetProblems.datasetUnreadable.entry.code) return undefined;
    throw error;
  }
}

function refView(tenant: Tenant, row: StreamRow, snapshots: readonly TableSnapshot[] | undefined): TableFormatRefView {
  return {
    stream_id: row.streamId,
    name: row.name,
    namespace: row.namespace ?? null,
    dataset_id: datasetIdOf(tenant, row),
    snapshots: (snapshots ?? []).map(({ snapshotId, runId, committedAt, operation, addedRecords }) => ({
      snapshot_id: snapshotId,
      run_id: runId ?? null,
      committed_at: committedAt,
      operation,
      added_records: addedRecords ?? null,
    })),
    snapshot_id: snapshots?.[0]?.snapshotId ?? null,
    readable: snapshots !== undefined,
  };
}
