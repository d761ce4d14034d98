import type { Kernel, Tenant } from '@weir/kernel';
import { Problem, runProblems } from '@weir/kernel/contract';
import type { MaintenanceAction, TableRef } from '../contract.ts';
import { TABLE_MAINTENANCE } from '../model/run-kinds.ts';

interface Wanted {
  ref: TableRef;
  tableUuid: string;
  actions: readonly MaintenanceAction[];
  requestedBy: string;
  /** A person asked for it. */
  atOnce?: boolean;
}

type Started = Awaited<ReturnType<Kernel['runs']['start']>>;

/** Starts the maintenance of a table; `active` where one is open. */
export async function startMaintenance(
  { db, runs }: Pick<Kernel, 'db' | 'runs'>,
  tenant: Tenant,
  { ref, tableUuid, actions, requestedBy, atOnce = false }: Wanted,
): Promise<Started | 'active'> {
  const { kind } = TABLE_MAINTENANCE;
  const admitted = await runs.admit(kind, { queue: true });
  try {
    return await db(tenant).transaction(async (tx) => {
      const started = await runs.start(tx, { kind, subjectId: tableUuid, requestedBy, admitted });
      await tx.sql(
        `insert into datasets.maintenance_run (tenant_id, run_id, namespace, table_name, actions, at_once)
         values ($1, $2, $3, $4, $5, $6)`,
        [tenant.tenantId, started.run_id, ref.namespace, ref.table, actions, atOnce],
      );
      return started;
    });
  } catch (error) {
    if (error instanceof Problem && error.entry === runProblems.runAlreadyActive.entry) return 'active';
    throw error;
  }
}

/** What a run is to do, and whether a person asked for it. */
export interface AskedFor {
  ref: TableRef;
  actions: readonly MaintenanceAction[];
  atOnce: boolean;
}

/** What a run was asked for; undefined for a run of another kind. */
export async function maintenanceOf(
  { db }: Pick<Kernel, 'db'>,
  tenant: Tenant,
  runId: string,
): Promise<AskedFor | undefined> {
  const { rows } = await db(tenant).transaction((tx) =>
    tx.sql(
      `select namespace, table_name, actions, at_once from datasets.maintenance_run
       where tenant_id = $1 and run_id = $2`,
      [tenant.tenantId, runId],
    ),
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const ref = { namespace: String(row.namespace), table: String(row.table_name) };
  return { ref, actions: row.actions as MaintenanceAction[], atOnce: row.at_once === true };
}
