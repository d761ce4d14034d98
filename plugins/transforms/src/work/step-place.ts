import type { TenantTransaction } from '@weir/kernel';
import type { AskedInput, CheckpointWrite, TableCommit } from '@weir/plugin-datasets/contract';
import type { PartitionChoice, PublishMode } from '../contract.ts';

/** The key of the checkpoint of a transform for a table. */
export const checkpointKey = (transformId: string, output: string): string => `transform:${transformId}:${output}`;

/** What a step has written and not published: kept until its whole publishes it, or ends without. Plain JSON. */
export interface StagedStep {
  /** The commit of its table, with the id of the snapshot that the steps behind it have read. */
  table: TableCommit;
  /** None of a run of some partitions: the next run reads on from where the one before it did. */
  checkpoint?: CheckpointWrite;
  /** Rows that it wrote, in decimal digits. */
  rows: string;
  /** The metadata file that no catalog names. */
  draft: string;
}

/** A step in its whole. Datasets by id. */
export interface StepPlace {
  groupRunId: string | undefined;
  publish: PublishMode;
  sampleRows: number;
  stepId: string;
  /** The whole whose result of this step may be taken over; undefined once it is known that it may not. */
  adoptFrom: string | undefined;
  /** How many steps of the whole are behind it. */
  stepsToCome: number;
  /** The partitions that it replaces; undefined where it brings its whole table to its inputs. */
  partitions: PartitionChoice | undefined;
  /** Whether an attempt before has staged it. */
  isStaged: boolean;
  /** What steps before it have staged: metadata files. */
  drafts: ReadonlyMap<string, string>;
  /** The inputs of the whole at the one moment at which all of its steps read them. */
  cut: ReadonlyMap<string, string | null>;
}

const PLACE = `
select own.group_run_id, own.staged is not null as is_staged, whole.publish, whole.sample_rows, whole.inputs,
  (select count(*) from transforms.step later where later.tenant_id = $1 and later.group_run_id = own.group_run_id
     and later.position > own.position) as steps_to_come,
  own.partitions, own.step_id, case when own.not_adopted is null then whole.adopt_from end as adopt_from,
  (select coalesce(json_object_agg(run.output, other.staged ->> 'draft'), '{}')
   from transforms.step other join transforms.transform_run run using (tenant_id, run_id)
   where other.tenant_id = $1 and other.group_run_id = own.group_run_id and other.position < own.position
     and other.staged is not null) as drafts
from transforms.step own
join transforms.step_group whole on whole.tenant_id = own.tenant_id and whole.run_id = own.group_run_id
where own.tenant_id = $1 and own.run_id = $2`;

/** The place of a run of a transform in its whole. */
export async function stepPlace(tx: TenantTransaction, runId: string): Promise<StepPlace> {
  const { rows } = await tx.sql(PLACE, [tx.tenant.tenantId, runId]);
  const [row] = rows;
  const cut = (row?.inputs ?? []) as { dataset_id: string; snapshot_id: string | null }[];
  return {
    groupRunId: row && String(row.group_run_id),
    publish: (row?.publish ?? 'each') as PublishMode,
    sampleRows: Number(row?.sample_rows ?? 0),
    stepId: String(row?.step_id),
    partitions: (row?.partitions ?? undefined) as PartitionChoice | undefined,
    adoptFrom: typeof row?.adopt_from === 'string' ? row.adopt_from : undefined,
    stepsToCome: Number(row?.steps_to_come ?? 0),
    isStaged: row?.is_staged === true,
    drafts: new Map(Object.entries((row?.drafts ?? {}) as Record<string, string>)),
    cut: new Map(cut.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id])),
  };
}

/** An input as a step of a whole reads it: as a step before it has staged it, or at the moment of the whole. */
export function placedInput({ drafts, cut }: StepPlace, datasetId: string): Pick<AskedInput, 'draft' | 'snapshotId'> {
  const draft = drafts.get(datasetId);
  if (draft !== undefined) return { draft };
  return cut.has(datasetId) ? { snapshotId: cut.get(datasetId) ?? null } : {};
}
