import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { ScheduleTransaction } from '../contract.ts';
import { ScheduleEntity, type ScheduleRow } from '../model/entities.ts';

/** The schedule of a subject; undefined when it has none, or none any more. */
export async function findSchedule(
  tx: TenantTransaction,
  subjectId: string,
  options: { lock?: boolean } = {},
): Promise<ScheduleRow | undefined> {
  return tx.findOne(ScheduleEntity, { subjectId, deletedAt: null }, options);
}

/** The same; throws `not_found` when there is none. */
export async function liveSchedule(
  tx: TenantTransaction,
  subjectId: string,
  options: { lock?: boolean } = {},
): Promise<ScheduleRow> {
  const row = await findSchedule(tx, subjectId, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** Marks the schedule of a subject as one that is to go; true when there was one. The engine follows after the commit. */
export async function dropSchedule(tx: ScheduleTransaction, subjectId: string): Promise<boolean> {
  const { rowCount } = await tx.sql(
    `update schedules.schedule set deleted_at = now(), next_run_at = null, version = version + 1
     where tenant_id = $1 and subject_id = $2 and deleted_at is null`,
    [tx.tenant.tenantId, subjectId],
  );
  return rowCount > 0;
}
