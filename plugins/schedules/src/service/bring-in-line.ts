import type { Tenant } from '@weir/kernel';
import type { EngineSchedule } from '@weir/plugin-workflow-engine/contract';
import { ScheduleEntity, type ScheduleRow } from '../model/entities.ts';
import type { ScheduleDeps } from './subjects.ts';

/** The workflow that a schedule starts at each of its times. */
export const SCHEDULE_WORKFLOW = 'ScheduledTimeWorkflow';
/** The worker role that carries times out. */
export const SCHEDULE_ROLE = 'general';
/** A schedule that changes again and again is brought in line by the next sweep. */
const MAX_TRIES = 3;

export type InLineDeps = Pick<ScheduleDeps, 'schedules'> & { kernel: Pick<ScheduleDeps['kernel'], 'db' | 'log'> };

/** The id in the engine; ids of subjects are unique over all kinds, so it names none. */
export const scheduleIdOf = (tenantId: string, subjectId: string) => `${tenantId}:schedule:${subjectId}`;

/** A schedule as the engine is to have it. */
export function engineSchedule(row: ScheduleRow): EngineSchedule {
  const { tenantId, subjectId, subjectKind, times, pausedAt, pauseReason } = row;
  return {
    scheduleId: scheduleIdOf(tenantId, subjectId),
    times,
    paused: pausedAt ? (pauseReason ?? 'paused') : undefined,
    workflowType: SCHEDULE_WORKFLOW,
    role: SCHEDULE_ROLE,
    args: [{ tenant_id: tenantId, subject_kind: subjectKind, subject_id: subjectId }],
  };
}

/**
 * Makes the engine's schedule of a subject what its row says, and notes in the row what the engine was given. Who finds
 * the row changed meanwhile begins again, so the last one to write to the engine has read the last change. Throws
 * `dependency_unavailable` when the engine is away.
 */
export async function bringInLine(deps: InLineDeps, tenant: Tenant, subjectId: string): Promise<void> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const row = await deps.kernel.db(tenant).transaction((tx) => tx.findOne(ScheduleEntity, { subjectId }));
    if (row === undefined || (await applied(deps, tenant, row))) return;
  }
}

/** The same after a change that stands, whatever the engine says now; the reconciler sees to it. */
export async function tellEngine(deps: InLineDeps, tenant: Tenant, subjectId: string): Promise<void> {
  await bringInLine(deps, tenant, subjectId).catch((err: unknown) => {
    deps.kernel.log.warn({ err, subject_id: subjectId }, 'the engine could not be told of a schedule; tried again');
  });
}

/** Whether the row was still the same once the engine had it. */
async function applied({ kernel, schedules }: InLineDeps, tenant: Tenant, row: ScheduleRow): Promise<boolean> {
  const { subjectId, version } = row;
  const asOf = 'where tenant_id = $1 and subject_id = $2 and version = $3';
  const note = (text: string, more: unknown[] = []) =>
    kernel
      .db(tenant)
      .transaction(async (tx) => (await tx.sql(text, [tenant.tenantId, subjectId, version, ...more])).rowCount === 1);
  if (row.deletedAt) {
    await schedules.remove(scheduleIdOf(tenant.tenantId, subjectId));
    return note(`delete from schedules.schedule ${asOf}`);
  }
  const wanted = engineSchedule(row);
  const digest = schedules.digest(wanted);
  const { mark } = await schedules.put(wanted);
  return note(
    `update schedules.schedule
     set applied_version = version, applied_digest = $4, engine_mark = $5 ${asOf}`,
    [digest, mark],
  );
}
