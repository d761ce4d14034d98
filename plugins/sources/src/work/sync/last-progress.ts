import type { Kernel, Tenant } from '@weir/kernel';
import type { TablesService } from '@weir/plugin-datasets/contract';
import { inParallel } from '@weir/work';
import { checkpointKey } from '../../model/stream/checkpoint-key.ts';
import { StreamEntity } from '../../model/stream/entity.ts';
import { figuresOf } from '../../model/sync/sync-figures.ts';

interface Deps {
  kernel: Pick<Kernel, 'db'>;
  tables: Pick<TablesService, 'checkpoint'>;
}

/**
 * The last attempt of a run that brought one of its streams forward, as it is stored with their rows; 0 when none has. A
 * stream that was switched off meanwhile counts for what it did.
 */
export async function lastProgress(
  { kernel, tables }: Deps,
  tenant: Tenant,
  { runId, sourceId }: { runId: string; sourceId: string },
): Promise<number> {
  const rows = await kernel.db(tenant).transaction((tx) => tx.find(StreamEntity, { sourceId }));
  const figures = await inParallel(rows, async (row) =>
    figuresOf(await tables.checkpoint(tenant, checkpointKey(row)), runId),
  );
  return Math.max(0, ...figures.map(({ progressAttempt }) => progressAttempt));
}
