import type { TenantTransaction } from '@weir/kernel';
import type { FiringView } from '../../contract.ts';
import { FiringEntity, type FiringRow } from '../../model/schedule/entity.ts';

/** Firings that are kept of one source. */
export const KEPT = 200;

export type SkipReason = NonNullable<FiringView['reason']>;

/** Why a time of a schedule came to nothing, beside the codes that refuse a sync. */
export const SKIPS = {
  running: {
    code: 'run_already_active',
    detail: 'A sync of the source was running when its time came.',
    hint: 'Give the schedule more time between its runs, or overlap buffer_one.',
  },
  retired: { code: 'source_retired', detail: 'The source was deleted.', hint: null },
  gone: { code: 'schedule_gone', detail: 'The schedule was deleted while this time waited.', hint: null },
  paused: {
    code: 'schedule_paused',
    detail: 'The schedule was paused when its time came.',
    hint: 'weir sources schedule resume',
  },
  missed: {
    code: 'schedule_missed',
    detail: 'Nobody could begin it within catchup_window_seconds of its time.',
    hint: 'Look whether workers and workflow engine were away: weir ops health. weir sources schedule trigger runs it now.',
  },
  waiting: {
    code: 'schedule_waiting',
    detail: 'An earlier time of the schedule is already waiting to begin.',
    hint: 'Give the schedule more time between its runs.',
  },
  lost: {
    code: 'schedule_wait_lost',
    detail: 'It waited for a running sync, and the workflow engine has lost it.',
    hint: 'weir sources schedule trigger runs it now.',
  },
} as const satisfies Record<string, SkipReason>;

export type NewFiring = Pick<FiringRow, 'firingId' | 'sourceId' | 'origin' | 'scheduledAt' | 'requestedBy'>;
export type FiringOutcome =
  | { outcome: 'started'; runId: string; reason?: undefined }
  | { outcome: 'waiting' | 'skipped'; runId?: undefined; reason: SkipReason };

/**
 * Notes what became of a time, and lets go of the oldest ones of the source. One that waited is settled by it; one that is
 * settled stays as it is, whichever attempt comes later. The caller holds the lock of the source.
 */
export async function noteFiring(tx: TenantTransaction, firing: NewFiring, to: FiringOutcome): Promise<void> {
  const now = new Date();
  const told = { outcome: to.outcome, runId: to.runId ?? null, reason: to.reason ?? null, lookedAt: now };
  const found = await tx.findOne(FiringEntity, { firingId: firing.firingId });
  if (found !== undefined) {
    if (found.outcome === 'waiting') await tx.update(found, told);
    return;
  }
  await tx.insert(FiringEntity, { ...firing, ...told, firedAt: now });
  await forgetOldest(tx, firing.sourceId);
}

/** Keeps the newest firings of a source, and those that wait. */
export async function forgetOldest(tx: TenantTransaction, sourceId: string): Promise<void> {
  await tx.sql(
    `delete from sources.schedule_firing where tenant_id = $1 and source_id = $2 and outcome <> 'waiting' and firing_id in (
       select firing_id from sources.schedule_firing where tenant_id = $1 and source_id = $2
       order by fired_at desc, firing_id offset $3)`,
    [tx.tenant.tenantId, sourceId, KEPT],
  );
}

/** The newest firings of each of these sources, newest first. */
export async function lastFirings(
  tx: TenantTransaction,
  sourceIds: readonly string[],
  each: number,
): Promise<Map<string, FiringRow[]>> {
  if (sourceIds.length === 0) return new Map();
  const { rows } = await tx.sql(
    `select firing_id from (
       select firing_id, row_number() over (partition by source_id order by fired_at desc, firing_id) as place
       from sources.schedule_firing where tenant_id = $1 and source_id = any ($2::uuid[])) numbered
     where place <= $3`,
    [tx.tenant.tenantId, sourceIds, each],
  );
  const firingIds = rows.map(({ firing_id }) => String(firing_id));
  const found = await tx.find(
    FiringEntity,
    { firingId: { $in: firingIds } },
    { orderBy: { firedAt: 'desc', firingId: 'asc' } },
  );
  return Map.groupBy(found, ({ sourceId }) => sourceId);
}
