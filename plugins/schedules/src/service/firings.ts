import type { TenantTransaction } from '@weir/kernel';
import type { ScheduleTransaction } from '../contract.ts';
import { FiringEntity, type FiringRow } from '../model/entities.ts';
import type { SkipReason } from '../model/skips.ts';

/** Firings that are kept of one subject. */
export const KEPT = 200;

export type NewFiring = Pick<
  FiringRow,
  'firingId' | 'subjectId' | 'subjectKind' | 'origin' | 'scheduledAt' | 'requestedBy'
>;
export type FiringOutcome =
  | { outcome: 'started'; runId: string; reason?: undefined }
  | { outcome: 'waiting' | 'skipped'; runId?: undefined; reason: SkipReason };

const NOTE = `insert into schedules.firing as known
    (tenant_id, firing_id, subject_id, subject_kind, origin, scheduled_at, requested_by, outcome, run_id, reason,
      fired_at, looked_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
  on conflict (tenant_id, firing_id) do update
    set outcome = excluded.outcome, run_id = excluded.run_id, reason = excluded.reason, looked_at = excluded.looked_at
    where known.outcome = 'waiting'`;

/**
 * Notes what became of a time, and drops the oldest ones of the subject. It settles one that waits; one that is settled stays
 * as it is, whichever attempt comes later. The caller holds the lock of the subject.
 */
export async function noteFiring(tx: ScheduleTransaction, firing: NewFiring, to: FiringOutcome): Promise<void> {
  const { firingId, subjectId, subjectKind, origin, scheduledAt, requestedBy } = firing;
  const reason = to.reason === undefined ? null : JSON.stringify(to.reason);
  await tx.sql(NOTE, [
    ...[tx.tenant.tenantId, firingId, subjectId, subjectKind, origin, scheduledAt, requestedBy],
    ...[to.outcome, to.runId ?? null, reason, new Date()],
  ]);
  await forgetOldest(tx, subjectId);
}

/** Keeps the newest firings of a subject, and those that wait. */
export async function forgetOldest(tx: ScheduleTransaction, subjectId: string): Promise<void> {
  await tx.sql(
    `delete from schedules.firing where tenant_id = $1 and subject_id = $2 and outcome <> 'waiting' and firing_id in (
       select firing_id from schedules.firing where tenant_id = $1 and subject_id = $2
       order by fired_at desc, firing_id offset $3)`,
    [tx.tenant.tenantId, subjectId, KEPT],
  );
}

/** The newest firings of each of these subjects, newest first. */
export async function lastFirings(
  tx: TenantTransaction,
  subjectIds: readonly string[],
  each: number,
): Promise<Map<string, FiringRow[]>> {
  if (subjectIds.length === 0) return new Map();
  const { rows } = await tx.sql(
    `select firing_id from (
       select firing_id, row_number() over (partition by subject_id order by fired_at desc, firing_id) as place
       from schedules.firing where tenant_id = $1 and subject_id = any ($2::uuid[])) numbered
     where place <= $3`,
    [tx.tenant.tenantId, subjectIds, each],
  );
  const firingIds = rows.map(({ firing_id }) => String(firing_id));
  const found = await tx.find(
    FiringEntity,
    { firingId: { $in: firingIds } },
    { orderBy: { firedAt: 'desc', firingId: 'asc' } },
  );
  return Map.groupBy(found, ({ subjectId }) => subjectId);
}
