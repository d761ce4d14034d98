import type { PreparedTable } from '@weir/plugin-datasets/contract';
import { identifier, type PartitionSpec, type StagedFile, type TableSchema } from '@weir/plugin-datasets/stage';
import type { PartitionChoice } from '../contract.ts';
import { chosenSql } from '../model/partition-choice.ts';
import type { SelectAsks } from '../service/select/select-asks.ts';
import type { CarryOutDeps, Job } from './transform-attempt.ts';

interface Chosen {
  prepared: PreparedTable;
  chosen: PartitionChoice;
  place: { folder: string; store: object; spec: PartitionSpec; signal: AbortSignal };
}

/** Files that name the chosen partitions which the table has: what they hold of it goes. They are not committed. */
export async function chosenPartitions(
  { inputs, selects }: Pick<CarryOutDeps, 'inputs'> & { selects: Pick<SelectAsks, 'run'> },
  { tenant, content }: Job,
  { prepared, chosen, place }: Chosen,
): Promise<readonly StagedFile[]> {
  if (prepared.snapshotId === null) return [];
  const { output, partition_by: by = [] } = content;
  const names = new Set(by.map((name) => name.toLowerCase()));
  const table = prepared.schema as TableSchema;
  const schema = { ...table, fields: table.fields.filter(({ name }) => names.has(name.toLowerCase())) };
  const columns = schema.fields.map(({ name }) => identifier(name)).join(', ');
  const whole = `SELECT * FROM ${output.split('.').map(identifier).join('.')}`;
  const sql = `SELECT DISTINCT ${columns} FROM (\n${chosenSql(whole, chosen, content)}\n)`;
  const pins = await inputs.pin(tenant, [{ datasetId: output, snapshotId: prepared.snapshotId }]);
  const { files } = await selects.run({ ...place, sql, schema, inputs: pins });
  return files;
}
