import type { TenantTransaction } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import type { TableOwner, TablesService } from '@weir/plugin-datasets/contract';
import type { SourceRow } from '../source/entity.ts';
import { StreamEntity } from '../stream/entity.ts';
import { settingsOf } from '../stream/settings.ts';
import type { SourceFacts } from './source-checks.ts';

/** Reads what decides whether a sync of the source may start, in the caller's transaction. */
export async function readSourceFacts(
  tx: TenantTransaction,
  { sourceId, status }: SourceRow,
  tables: TablesService,
): Promise<SourceFacts> {
  const rows = await tx.find(StreamEntity, { sourceId, enabled: true }, { orderBy: { name: 'asc' } });
  const streams = rows.map((row) => ({
    ...settingsOf(row),
    streamId: row.streamId,
    name: row.name,
    needsAttention: row.needsAttention,
    destinationAllowed: isBronze(tables, tx.tenant, row.destinationTable),
  }));
  return { status, streams };
}

/** Whether the name fits the convention of bronze tables; only the service of tables knows it. */
function isBronze(tables: TablesService, tenant: TableOwner, table: string): boolean {
  try {
    tables.bronze(tenant, table);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
