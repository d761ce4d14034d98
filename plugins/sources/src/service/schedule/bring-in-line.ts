import type { Kernel, Tenant } from '@weir/kernel';
import type { EngineSchedule, SchedulesService } from '@weir/plugin-workflow-engine/contract';
import { SOURCE_ROLE } from '../../model/run-kinds.ts';
import { ScheduleEntity, type ScheduleRow } from '../../model/schedule/entity.ts';

/** The workflow that a schedule of a source starts at each of its times. */
export const SCHEDULE_WORKFLOW = 'SourceScheduleWorkflow';
/** A schedule that changes again and again is brought in line by the next sweep. */
const MAX_TRIES = 3;

export interface InLineDeps {
  kernel: Pick<Kernel, 'db'>;
  schedules: SchedulesService;
}

/** What the engine calls the schedule of a source. */
export const scheduleIdOf = (tenantId: string, sourceId: string) => `${tenantId}:schedule:${sourceId}`;

/** A schedule as the engine is to have it. */
export function engineSchedule({ tenantId, sourceId, times, pausedAt, pauseReason }: ScheduleRow): EngineSchedule {
  return {
    scheduleId: scheduleIdOf(tenantId, sourceId),
    times,
    paused: pausedAt ? (pauseReason ?? 'paused') : undefined,
    workflowType: SCHEDULE_WORKFLOW,
    role: SOURCE_ROLE,
    args: [{ tenant_id: tenantId, source_id: sourceId }],
  };
}

/**
 * Makes the engine's schedule of a source what its row says, and notes in the row what the engine was given. Who finds
 * the row changed meanwhile begins again, so the last one to write to the engine has read the last change. Throws
 * `dependency_unavailable` when the engine is away.
 */
export async function bringInLine(deps: InLineDeps, tenant: Tenant, sourceId: string): Promise<void> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const row = await deps.kernel.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { sourceId }));
    if (row === undefined || (await applied(deps, tenant, row))) return;
  }
}

/** Whether the row was still the same once the engine had it. */
async function applied({ kernel, schedules }: InLineDeps, tenant: Tenant, row: ScheduleRow): Promise<boolean> {
  const { sourceId, version } = row;
  const asOf = 'where tenant_id = $1 and source_id = $2 and version = $3';
  const note = (text: string, more: unknown[] = []) =>
    kernel
      .db(tenant)
      .transaction(async (tx) => (await tx.sql(text, [tenant.tenantId, sourceId, version, ...more])).rowCount === 1);
  if (row.deletedAt) {
    await schedules.remove(scheduleIdOf(tenant.tenantId, sourceId));
    return note(`delete from sources.schedule ${asOf}`);
  }
  const wanted = engineSchedule(row);
  const digest = schedules.digest(wanted);
  const { mark } = await schedules.put(wanted);
  return note(
    `update sources.schedule
     set applied_version = version, applied_digest = $4, engine_mark = $5 ${asOf}`,
    [digest, mark],
  );
}
