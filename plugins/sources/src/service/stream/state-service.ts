import type { Kernel, Tenant } from '@weir/kernel';
import type { TablesService } from '@weir/plugin-datasets/contract';
import type { StreamStateView } from '../../contract.ts';
import { checkpointKey } from '../../model/stream/checkpoint-key.ts';
import { datasetIdOf } from '../../model/stream/view.ts';
import { liveStream, type StreamIds } from './service.ts';

/** Reading the stored states of streams. */
export function stateService(kernel: Pick<Kernel, 'db'>, tables: Pick<TablesService, 'checkpoint'>) {
  return {
    async get(tenant: Tenant, ids: StreamIds): Promise<StreamStateView> {
      const { row } = await kernel.db(tenant).transaction((tx) => liveStream(tx, ids));
      const checkpoint = await tables.checkpoint(tenant, checkpointKey(row));
      const state = typeof checkpoint?.state === 'string' ? checkpoint.state : null;
      return {
        stream_id: row.streamId,
        dataset_id: datasetIdOf(tenant, row),
        state,
        run_id: state === null ? null : (checkpoint?.runId ?? null),
      };
    },
  };
}
