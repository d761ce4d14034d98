import { type Duty, duty, type Kernel } from '@weir/kernel';
import type { EngineSchedule, SchedulesService } from '@weir/plugin-workflow-engine/contract';
import { RECONCILE_WORKFLOW } from '../../model/route/contracts.ts';
import { ONTOLOGY_SYNC } from '../../model/run-kinds.ts';

const EVERY_SECONDS = 300;
/** So that tenants do not all begin at once. */
const JITTER_SECONDS = 60;

const HAS_PLUGIN = `select from kernel.tenant_plugin where tenant_id = $1 and plugin_id = 'ontology' and enabled`;

/** One schedule of the engine for each tenant that has the plugin, of workers of contract 1 alone. A tenant that loses it loses its schedule. */
export function reconciliation({
  kernel: { db },
  schedules,
}: {
  kernel: Pick<Kernel, 'db'>;
  schedules: Pick<SchedulesService, 'list' | 'put' | 'remove'>;
}): Duty {
  /** What this process has written: a release may say another time than the one before. */
  const written = new Set<string>();
  let inEngine: ReadonlySet<string> = new Set();
  return duty({
    name: 'ontology.reconciliation',
    everyMs: 60_000,
    where: ONTOLOGY_SYNC.role,
    async tenants(all) {
      inEngine = new Set(await schedules.list(RECONCILE_WORKFLOW));
      return all();
    },
    async perTenant(tenant) {
      const { tenantId } = tenant;
      const { rowCount } = await db(tenant).transaction((tx) => tx.sql(HAS_PLUGIN, [tenantId]));
      const wanted = scheduleOf(tenantId);
      const { scheduleId } = wanted;
      if (rowCount === 0) {
        written.delete(scheduleId);
        if (inEngine.has(scheduleId)) await schedules.remove(scheduleId);
      } else if (!inEngine.has(scheduleId) || !written.has(scheduleId)) {
        await schedules.put(wanted);
        written.add(scheduleId);
      }
    },
  });
}

const scheduleOf = (tenantId: string): EngineSchedule => ({
  scheduleId: `${tenantId}:ontology-reconcile`,
  times: {
    cron: [],
    interval_seconds: EVERY_SECONDS,
    offset_seconds: 0,
    timezone: 'UTC',
    jitter_seconds: JITTER_SECONDS,
    catchup_window_seconds: EVERY_SECONDS,
    start_at: null,
    end_at: null,
  },
  paused: undefined,
  workflowType: RECONCILE_WORKFLOW,
  role: ONTOLOGY_SYNC.role,
  args: [{ tenant_id: tenantId }],
  alone: true,
});
