import type { Kernel } from '@weir/kernel';
import type { JobRun, LineageGiver } from '@weir/plugin-lineage/contract';
import { bronzeNamespace } from '../../model/stream/view.ts';

const JOBS = `
select s.source_id, s.name, array_agg(t.destination_table order by t.destination_table) as tables
from sources.source s join sources.stream t using (tenant_id, source_id)
where s.tenant_id = $1 and s.status <> 'retired' and t.enabled group by s.source_id, s.name order by s.source_id`;

const RUNS = `
select source_id, last_run_id from sources.source
where tenant_id = $1 and source_id = any ($2::uuid[]) and last_run_id is not null`;

/** Sources with the tables of their enabled streams, as lineage knows them. */
export function lineageOfSources({ db, runs }: Pick<Kernel, 'db' | 'runs'>): LineageGiver {
  return {
    kind: 'source',
    jobs: (tenant) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(JOBS, [tenant.tenantId]);
        const namespace = bronzeNamespace(tenant);
        return rows.map(({ source_id: id, name, tables }) => {
          const writes = (tables as string[]).map((table) => `${namespace}.${table}`);
          return { id: String(id), name: String(name), reads: [], writes };
        });
      }),
    runs: (tenant, ids) =>
      db(tenant).transaction(async (tx) => {
        const { rows } = await tx.sql(RUNS, [tenant.tenantId, ids]);
        const last = rows.map(({ last_run_id }) => String(last_run_id));
        const known = new Map((await runs.findMany(tx, last)).map((run) => [run.runId, run]));
        return new Map(
          rows.flatMap((row): [string, JobRun][] => {
            const run = known.get(String(row.last_run_id));
            if (run === undefined) return [];
            const { runId, status, endedAt = null } = run;
            const made = status === 'succeeded' ? runId : undefined;
            return [
              [
                String(row.source_id),
                { last: { runId, status, endedAt }, read: new Map(), runId: made, wrote: undefined, isChanged: false },
              ],
            ];
          }),
        );
      }),
  };
}
