import type { Kernel, Tenant } from '@weir/kernel';
import type { PreparedTable, TablesService } from '@weir/plugin-datasets/contract';
import type { WantedColumn } from '../../../model/process/sync-types.ts';
import { StreamEntity } from '../../../model/stream/entity.ts';
import { possibleColumns, withColumns } from '../../../model/sync/evolved-schema.ts';
import type { PlannedStream } from './plan-sync.ts';

/** Names that the platform keeps for its own columns. */
const RESERVED = /^_(extracted_at|run_id|errors|extra|deleted_at)$/;

/**
 * Gives the table of a stream columns for members that it met, and the stream their schema, so that the next discovery
 * finds them known. What cannot be a column stays in `_extra`.
 */
export async function evolveStream(
  { kernel, tables, tenant }: { kernel: Kernel; tables: TablesService; tenant: Tenant },
  { row, ref, options, prepared }: Pick<PlannedStream, 'row' | 'ref' | 'options' | 'prepared'>,
  columns: readonly WantedColumn[],
): Promise<PreparedTable> {
  const { fields } = prepared.schema as { fields: readonly { name: string }[] };
  const possible = possibleColumns(columns, { taken: fields.map(({ name }) => name), reserved: RESERVED });
  const planned = prepared.replaces ? { planned: prepared.schema } : {};
  const table = await tables.prepare(tenant, ref, withColumns({}, possible), { ...options, ...planned });
  await kernel.db(tenant).transaction(async (tx) => {
    const stream = await tx.findOne(StreamEntity, { streamId: row.streamId }, { lock: true });
    if (stream === undefined) return;
    const jsonSchema = withColumns(stream.jsonSchema, possible);
    await tx.update(stream, { jsonSchema, version: stream.version + 1, updatedAt: new Date() });
  });
  return table;
}
