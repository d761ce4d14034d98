import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { ScheduleEntity, type ScheduleRow } from '../../model/schedule/entity.ts';

/** The schedule of a source; undefined when it has none, or none any more. */
export async function findSchedule(
  tx: TenantTransaction,
  sourceId: string,
  options: { lock?: boolean } = {},
): Promise<ScheduleRow | undefined> {
  return tx.findOne(ScheduleEntity, { sourceId, deletedAt: null }, options);
}

/** The same; throws `not_found` when there is none. */
export async function liveSchedule(
  tx: TenantTransaction,
  sourceId: string,
  options: { lock?: boolean } = {},
): Promise<ScheduleRow> {
  const row = await findSchedule(tx, sourceId, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** Marks the schedule of a source as one that is to go; true when there was one. The engine is told after the commit. */
export async function dropSchedule(tx: TenantTransaction, sourceId: string): Promise<boolean> {
  const row = await findSchedule(tx, sourceId, { lock: true });
  if (row === undefined) return false;
  await tx.update(row, { deletedAt: new Date(), nextRunAt: null, version: row.version + 1 });
  return true;
}
