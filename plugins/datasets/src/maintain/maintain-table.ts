import type { Kernel, Tenant, WorkerDeps } from '@weir/kernel';
import { logLeft, workFolders } from '@weir/work';
import type { TableRef } from '../contract.ts';
import { type Compaction, type CompactionDeps, compactTable } from '../rewrite/compact.ts';
import { rewriteProcess } from '../rewrite/rewrite-process.ts';
import type { DatasetSettings } from '../settings.ts';
import { healthOf } from '../store/table-health.ts';
import { openMaintenance } from '../survey/open-tables.ts';
import { expiryFor, surveyTable } from '../survey/survey.ts';
import { expireTable } from '../sweep/expire.ts';
import { lookAt } from './look.ts';
import { measureMaintenance } from './maintenance-metrics.ts';
import { enterOrphans } from './orphans.ts';
import { type AskedFor, maintenanceOf } from './start.ts';

/** The maintenance of tables as a worker carries it out. */
export function tableMaintenance({ kernel, children, workDir }: WorkerDeps) {
  const settings = kernel.settings as unknown as DatasetSettings;
  const opened = openMaintenance(kernel as Kernel<DatasetSettings>);
  const folders = workFolders(workDir, logLeft(kernel));
  const measured = measureMaintenance(kernel.metrics);
  const deps: CompactionDeps = {
    ...opened,
    rewrite: rewriteProcess(opened, { children, folders, memoryMiB: settings.WEIR_MAINTENANCE_MEMORY_MIB }),
    bytesPerHour: settings.WEIR_MAINTENANCE_BYTES_PER_HOUR,
    counted: measured.rewritten,
  };
  return {
    /** What a run was asked for. */
    asked: (tenant: Tenant, runId: string) => maintenanceOf(kernel, tenant, runId),

    /** What of some actions has something to do now, and why. */
    async plan(tenant: Tenant, { ref, actions, atOnce }: AskedFor) {
      const survey = await surveyTable({ ...deps, atOnce }, tenant, ref);
      if (survey === undefined) return { due: [], reasons: [] };
      const { compact, manifests, expire, reasons } = survey.plan;
      const isDue = { compact: compact.length > 0, manifests, expire: expire.length > 0, orphans: true };
      return { due: actions.filter((action) => isDue[action]), reasons };
    },

    compact: (tenant: Tenant, work: Compaction, { atOnce }: AskedFor) =>
      measured.took('compact', () => compactTable({ ...deps, atOnce }, tenant, work)),

    expire: (tenant: Tenant, ref: TableRef) =>
      measured.took('expire', async () => {
        const row = await kernel.db(tenant).transaction((tx) => healthOf(tx, ref));
        return expireTable({ ...deps, expiry: expiryFor(deps, row) }, tenant, ref);
      }),

    orphans: (tenant: Tenant, ref: TableRef) => measured.took('orphans', () => enterOrphans(deps, tenant, ref)),

    /** Stores what is left to do, with its reasons; the next round starts what that takes. */
    look: (tenant: Tenant, ref: TableRef) => lookAt({ ...deps, slots: 0 }, tenant, ref),
  };
}
