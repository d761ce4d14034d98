import type { TenantTransaction } from '@weir/kernel';
import type { PartitionChoice } from '../contract.ts';

/** A part of a whole with its place. */
export interface NewPart {
  run_id: string;
  transform_id: string;
  triggering_transform_id: string;
  artifact_id: string;
  output: string;
  forced: boolean;
  full_asked: boolean;
  step_id: string;
  /** The positions of the steps that end first. */
  after: readonly number[];
  partitions: PartitionChoice | null;
}

const RUNS = `
insert into transforms.transform_run (tenant_id, run_id, transform_id, triggering_transform_id, orchestrator_run_id,
  artifact_id, output, forced, full_asked, status, created_at)
select $1::uuid, run_id, transform_id, triggering_transform_id, $2, artifact_id, output, forced, full_asked, 'pending', now()
from jsonb_to_recordset($3::jsonb) as part (run_id uuid, transform_id uuid, triggering_transform_id uuid,
  artifact_id text, output text, forced boolean, full_asked boolean)`;

const STEPS = `
insert into transforms.step (tenant_id, run_id, group_run_id, step_id, position, after, partitions)
select $1::uuid, part.run_id, $2::uuid, part.step_id, at - 1, part.after, part.partitions
from rows from (jsonb_to_recordset($3::jsonb)
  as (run_id uuid, step_id text, after integer[], partitions json)) with ordinality
  as part (run_id, step_id, after, partitions, at)`;

/** Inserts the parts of a whole in the order of their positions, whatever their number, by two statements. */
export async function insertParts(
  tx: TenantTransaction,
  { groupRunId, orchestratorRunId }: { groupRunId: string; orchestratorRunId: string },
  parts: readonly NewPart[],
): Promise<void> {
  const { tenantId } = tx.tenant;
  const rows = JSON.stringify(parts);
  await tx.sql(RUNS, [tenantId, orchestratorRunId, rows]);
  await tx.sql(STEPS, [tenantId, groupRunId, rows]);
}
