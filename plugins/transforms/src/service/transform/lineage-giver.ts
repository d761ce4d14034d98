import type { Kernel } from '@weir/kernel';
import type { JobRun, LineageColumnView, LineageGiver } from '@weir/plugin-lineage/contract';
import type { PinnedSnapshot } from '../../model/entities.ts';

// Content is read in parts: a statement may be long.
const JOBS = `
select t.transform_id, t.name, t.output, a.content -> 'inputs' as inputs
from transforms.transform t join transforms.artifact a using (tenant_id, artifact_id)
where t.tenant_id = $1 and t.archived_at is null order by t.transform_id`;

const COLUMNS = `
select t.transform_id, a.content -> 'lineage' as lineage
from transforms.transform t join transforms.artifact a using (tenant_id, artifact_id)
where t.tenant_id = $1 and t.transform_id = any ($2::uuid[])`;

const RUNS = `
select t.transform_id, newest.run_id as newest_id, newest.status, made.run_id, made.inputs, made.output_snapshot_id::text as wrote,
  made.artifact_id is distinct from t.artifact_id as is_changed
from transforms.transform t
join lateral (select run_id, status from transforms.transform_run r
  where r.tenant_id = t.tenant_id and r.transform_id = t.transform_id
  order by r.created_at desc, r.run_id desc limit 1) newest on true
left join lateral (select run_id, inputs, output_snapshot_id, artifact_id from transforms.transform_run r
  where r.tenant_id = t.tenant_id and r.transform_id = t.transform_id and r.status = 'succeeded' and r.output_snapshot_id is not null
  order by r.created_at desc, r.run_id desc limit 1) made on true
where t.tenant_id = $1 and t.transform_id = any ($2::uuid[])`;

/** Transforms that are in force, as lineage knows them. */
export function lineageOfTransforms({ db, runs }: Pick<Kernel, 'db' | 'runs'>): LineageGiver {
  return {
    kind: 'transform',
    jobs: (tenant) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(JOBS, [tenant.tenantId]);
        return rows.map(({ transform_id: id, name, output, inputs }) => {
          return { id: String(id), name: String(name), reads: inputs as string[], writes: [String(output)] };
        });
      }),
    columns: (tenant, ids) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(COLUMNS, [tenant.tenantId, ids]);
        return new Map(rows.map((row) => [String(row.transform_id), row.lineage as LineageColumnView[]]));
      }),
    runs: (tenant, ids) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(RUNS, [tenant.tenantId, ids]);
        const newest = rows.map(({ newest_id }) => String(newest_id));
        const known = new Map((await runs.findMany(tx, newest)).map((run) => [run.runId, run]));
        return new Map(
          rows.map((row): [string, JobRun] => {
            const run = known.get(String(row.newest_id));
            const last = run && { runId: run.runId, status: run.status, endedAt: run.endedAt ?? null };
            const made = row.run_id === null ? undefined : String(row.run_id);
            const inputs = (row.inputs ?? []) as PinnedSnapshot[];
            const read = new Map(inputs.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
            const wrote = row.wrote === null ? undefined : String(row.wrote);
            const isChanged = made !== undefined && row.is_changed === true;
            return [String(row.transform_id), { last, read, runId: made, wrote, isChanged }];
          }),
        );
      }),
  };
}
