import type { Tenant } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import type { TablesService } from '@weir/plugin-datasets/contract';
import type { RefreshDiffView } from '../../contract.ts';
import { checkpointKey } from '../../model/stream/checkpoint-key.ts';
import type { StreamRow } from '../../model/stream/entity.ts';
import { datasetIdOf } from '../../model/stream/view.ts';
import { howToWrite } from '../../model/sync/how-to-write.ts';

/** Tables that are looked at together. */
const AT_ONCE = 8;

/**
 * Streams whose tables keep the old type of a column, since their next sync does not replace all rows. A table that cannot be
 * asked is left out: the sync of its stream says why.
 */
export async function tableConflicts(
  tables: TablesService,
  tenant: Tenant,
  rows: readonly StreamRow[],
): Promise<RefreshDiffView['table_conflicts']> {
  const look = async (row: StreamRow): Promise<RefreshDiffView['table_conflicts']> => {
    const columns = await conflictsOf(tables, tenant, row);
    const { streamId: stream_id, name, namespace } = row;
    const label = { stream_id, name, namespace: namespace ?? null };
    return columns.length === 0 ? [] : [{ ...label, dataset_id: datasetIdOf(tenant, row), columns }];
  };
  const found: RefreshDiffView['table_conflicts'] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    found.push(...(await Promise.all(rows.slice(at, at + AT_ONCE).map(look))).flat());
  }
  return found;
}

async function conflictsOf(tables: TablesService, tenant: Tenant, row: StreamRow): Promise<string[]> {
  const { replaces } = howToWrite(row, await tables.checkpoint(tenant, checkpointKey(row)));
  if (replaces) return [];
  try {
    return await tables.conflicts(tenant, tables.bronze(tenant, row.destinationTable), { jsonSchema: row.jsonSchema });
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}
