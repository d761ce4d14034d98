import { type AnyRoute, handle, requireMatch, type Tenant, unchanged } from '@weir/kernel';
import {
  type Input,
  kernelProblems,
  type Output,
  type Principal,
  rolesIn,
  runProblems,
  subjectOf,
} from '@weir/kernel/contract';
import {
  changeMaintenance,
  datasetProblems,
  getTableHealth,
  type MaintenanceAction,
  maintainTable,
  type TableHealthView,
  type TableRef,
} from '../contract.ts';
import { isWritable } from '../dataset/dataset-id.ts';
import { openTable, type ReadDeps } from '../read/readable-tables.ts';
import { asProblems } from '../store/lakehouse-problem.ts';
import { healthOf, noteHealth } from '../store/table-health.ts';
import { type MaintenanceDeps, type Survey, surveyTable } from '../survey/survey.ts';
import { healthView, keptOf, settingsView, USUAL_ACTIONS, wouldOf } from './health-view.ts';
import { findOrphans } from './orphans.ts';
import { startMaintenance } from './start.ts';

type Asked = Input<typeof maintainTable>['body'];
type Change = Input<typeof changeMaintenance>['body'];

/** The routes of the maintenance of tables. */
export function maintenanceRoutes(deps: MaintenanceDeps, readDeps: ReadDeps): AnyRoute[] {
  const maintenance = maintenanceService(deps, readDeps);
  return [
    handle(getTableHealth, ({ tenant, params }) => maintenance.health(tenant, params.dataset_id)),
    handle(maintainTable, ({ tenant, params, body, principal }) =>
      maintenance.maintain(tenant, params.dataset_id, { body, principal }),
    ),
    handle(changeMaintenance, ({ tenant, params, body, ifMatch }) =>
      maintenance.change(tenant, params.dataset_id, { body, ifMatch }),
    ),
  ];
}

/** Reading and asking for the maintenance of tables; whose rows one may not read, one may not maintain. */
function maintenanceService(deps: MaintenanceDeps, readDeps: ReadDeps) {
  const { kernel, remote } = deps;
  const now = deps.now ?? Date.now;
  const survey = async (tenant: Tenant, id: string, atOnce = false): Promise<Survey> => {
    const { ref } = await openTable(readDeps, tenant, id);
    const found = await asProblems(() => surveyTable({ ...deps, atOnce }, tenant, ref));
    if (found === undefined) throw kernelProblems.notFound();
    return found;
  };
  return {
    async health(tenant: Tenant, id: string): Promise<TableHealthView> {
      const found = await survey(tenant, id);
      const kept = await kernel.db(tenant).transaction((tx) => keptOf(tx, found));
      return healthView(found, kept, now());
    },

    async maintain(
      tenant: Tenant,
      id: string,
      { body, principal }: { body: Asked; principal: Principal },
    ): Promise<Output<typeof maintainTable>> {
      const actions = assertActions(body.actions ?? usual(remote), { tenant, principal, remote });
      const found = await survey(tenant, id, true);
      assertOwn(tenant, found.ref);
      const orphans = actions.includes('orphans') ? await findOrphans(deps, tenant, found.ref) : [];
      const would = wouldOf(found, actions, orphans);
      if (body.dry_run === true) return unchanged({ run_id: null, workflow_id: null, warning: null, would });
      const tableUuid = found.table.metadata['table-uuid'];
      const requestedBy = subjectOf(principal);
      const started = await startMaintenance(kernel, tenant, {
        ...{ ref: found.ref, tableUuid, actions, requestedBy },
        atOnce: true,
      });
      if (started === 'active') throw runProblems.runAlreadyActive();
      return { ...started, would };
    },

    async change(
      tenant: Tenant,
      id: string,
      { body, ifMatch }: { body: Change; ifMatch: string | undefined },
    ): Promise<TableHealthView['maintenance']> {
      const { ref, metadata, location } = await openTable(readDeps, tenant, id);
      assertOwn(tenant, ref);
      return kernel.db(tenant).transaction(async (tx) => {
        if ((await healthOf(tx, ref)) === undefined)
          await noteHealth(tx, ref, { metadata, metadataLocation: location });
        const row = await healthOf(tx, ref, { lock: true });
        requireMatch(ifMatch, String(row?.version ?? 0));
        const { paused, target_file_bytes: target, keep_days: days } = body;
        await tx.sql(
          `update datasets.table_health set paused = coalesce($4, paused), version = version + 1,
             target_file_bytes = case when $5 then $6::bigint else target_file_bytes end,
             keep_days = case when $7 then $8::int else keep_days end, next_at = least(next_at, now())
           where tenant_id = $1 and namespace = $2 and table_name = $3`,
          [
            ...[tenant.tenantId, ref.namespace, ref.table, paused ?? null],
            ...[target !== undefined, target ?? null, days !== undefined, days ?? null],
          ],
        );
        return settingsView(await healthOf(tx, ref));
      });
    },
  };
}

const usual = (remote: unknown): readonly MaintenanceAction[] =>
  remote === undefined ? USUAL_ACTIONS : USUAL_ACTIONS.filter((action) => action !== 'expire');

function assertActions(
  actions: readonly MaintenanceAction[],
  { tenant, principal, remote }: { tenant: Tenant; principal: Principal; remote: unknown },
): readonly MaintenanceAction[] {
  if (remote !== undefined && (actions.includes('expire') || actions.includes('orphans'))) {
    throw datasetProblems.catalogKeepsFiles();
  }
  if (actions.includes('orphans') && !rolesIn(principal, tenant).includes('admin'))
    throw datasetProblems.orphansNeedAdmin();
  return actions;
}

/** Tables of the platform are read by every tenant, and maintained by none. */
function assertOwn(tenant: Tenant, ref: TableRef): void {
  if (!isWritable(tenant.scope, ref)) throw datasetProblems.destinationNotAllowed();
}
