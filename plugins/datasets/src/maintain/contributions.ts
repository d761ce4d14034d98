import { contribute, type Kernel } from '@weir/kernel';
import { HealthChecks, Problem, type ReadinessCheck, ReadinessChecks, RunDrops } from '@weir/kernel/contract';
import { UpkeepRuns } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { TABLE_MAINTENANCE } from '../model/run-kinds.ts';
import { dropRuns } from '../survey/receipts.ts';

/** What the maintenance of tables adds to points of the kernel and of other plugins. */
export function maintenanceContributions(kernel: Kernel) {
  return [
    contribute(UpkeepRuns, TABLE_MAINTENANCE.kind),
    contribute(RunDrops, dropRuns),
    contribute(HealthChecks, { name: 'maintenance_worker', degrades: true, check: () => hasWorker(kernel) }),
    ...['source', 'transform'].map((subject) => contribute(ReadinessChecks, tableHealthCheck(kernel, subject))),
    contribute(RunSubjectNames, {
      subject: 'dataset',
      kinds: [TABLE_MAINTENANCE.kind],
      async names(tenant, ids) {
        const { rows } = await kernel.db(tenant).transaction((tx) =>
          tx.sql(
            `select table_uuid, namespace || '.' || table_name as name from datasets.table_health
             where tenant_id = $1 and table_uuid = any ($2::uuid[])`,
            [tx.tenant.tenantId, [...ids]],
          ),
        );
        return new Map(rows.map((row) => [String(row.table_uuid), String(row.name)]));
      },
    }),
  ];
}

/** Whether a worker polls for maintenance; false when the workflow engine does not say. */
async function hasWorker({ runs }: Pick<Kernel, 'runs'>): Promise<boolean> {
  try {
    return (await runs.admit(TABLE_MAINTENANCE.kind)).warning === null;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Warns of tables of a producer whose maintenance makes no progress. */
function tableHealthCheck({ db }: Pick<Kernel, 'db'>, subject: string): ReadinessCheck {
  return {
    ...{ subject, check: 'table_health', title: 'Its tables are healthy', blocks: false },
    async run(tenant, subjectId) {
      const { rows } = await db(tenant).transaction((tx) =>
        tx.sql(
          `select h.table_uuid, h.namespace || '.' || h.table_name as name, h.blocked ->> 'why' as why
           from datasets.producer p join datasets.table_health h
             on h.tenant_id = p.tenant_id and h.namespace = p.namespace and h.table_name = p.table_name
           where p.tenant_id = $1 and p.producer_id = $2 and h.blocked is not null order by 2 limit 100`,
          [tx.tenant.tenantId, subjectId],
        ),
      );
      if (rows.length === 0) return { status: 'pass', detail: 'No table waits for its maintenance.' };
      const names = rows.map(({ name }) => String(name)).join(', ');
      return {
        status: 'warning',
        detail: `The maintenance of ${names} makes no progress.`,
        hint: 'The health of the dataset says what keeps it.',
        items: rows.map((row) => ({ id: String(row.table_uuid), name: String(row.name), code: String(row.why) })),
      };
    },
  };
}
