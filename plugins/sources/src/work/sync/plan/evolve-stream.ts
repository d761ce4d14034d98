import type { Kernel, Tenant } from '@weir/kernel';
import { divideNames, type PreparedTable, type TablesService } from '@weir/plugin-datasets/contract';
import type { WantedColumn } from '../../../model/process/sync-types.ts';
import { StreamEntity } from '../../../model/stream/entity.ts';
import { withColumns } from '../../../model/sync/evolved-schema.ts';
import type { PlannedStream } from './plan-sync.ts';

/**
 * Plans columns of a table for members that its stream met, for the next commit to bring, and gives the stream their schema,
 * so that the next discovery finds them known. What cannot be a column stays in `_extra`.
 */
export async function evolveStream(
  { kernel, tables, tenant }: { kernel: Kernel; tables: TablesService; tenant: Tenant },
  { row, ref, options, prepared }: Pick<PlannedStream, 'row' | 'ref' | 'options' | 'prepared'>,
  columns: readonly WantedColumn[],
): Promise<PreparedTable> {
  const { fields } = prepared.schema as { fields: readonly { name: string }[] };
  const has = fields.map(({ name }) => name);
  const divided = divideNames(
    columns.map(({ name }) => name),
    { has },
  );
  const possible = columns.filter(({ name }) => divided.columns.includes(name) && !has.includes(name));
  const isOpen = prepared.replaces || Object.keys(prepared.brings).length > 0;
  const planned = isOpen ? { planned: prepared } : {};
  const table = await tables.prepare(tenant, ref, withColumns({}, possible), { ...options, ...planned });
  await kernel.db(tenant).transaction(async (tx) => {
    const stream = await tx.findOne(StreamEntity, { streamId: row.streamId }, { lock: true });
    if (stream === undefined) return;
    const jsonSchema = withColumns(stream.jsonSchema, possible);
    await tx.update(stream, { jsonSchema, version: stream.version + 1, updatedAt: new Date() });
  });
  return {
    ...table,
    extraColumns: [...prepared.extraColumns, ...divided.refused],
    jsonColumns: [...prepared.jsonColumns, ...table.jsonColumns],
  };
}
