import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems, Problem, runProblems } from '@weir/kernel/contract';
import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import type { Overlap } from '../../contract.ts';
import { FiringEntity, type ScheduleRow } from '../../model/schedule/entity.ts';
import { nextRunOf } from '../../model/schedule/next-run.ts';
import { SourceEntity } from '../../model/source/entity.ts';
import { findSchedule } from '../../service/row/live-schedule.ts';
import { type NewFiring, noteFiring, SKIPS, type SkipReason } from '../../service/schedule/firings.ts';
import type { syncService } from '../../service/sync/service.ts';

/** All that the workflow of a time of a schedule is given. */
export interface ScheduledTime {
  tenant_id: string;
  source_id: string;
  /** The run of the workflow, so that a time is noted once however often it is tried. */
  firing_id: string;
  scheduled_at: string;
}

export interface FireDeps {
  kernel: Pick<Kernel, 'db' | 'tenants'>;
  schedules: SchedulesService;
  syncs: Pick<ReturnType<typeof syncService>, 'start'>;
}

/** Who asks for the runs of a schedule. */
const BY_SCHEDULE = 'schedule';
/** A sync that is refused for these may be let in a moment later. */
const PASSING: readonly string[] = [
  kernelProblems.dependencyUnavailable.entry.code,
  kernelProblems.conflict.entry.code,
];

/**
 * Carries out one time of a schedule: starts a sync as a caller would, or notes why there is none. `waiting` asks to be
 * called again, because a sync runs and the schedule lets one time wait for it. Throws when the database is away.
 */
export async function fireSchedule(deps: FireDeps, tenant: Tenant, time: ScheduledTime): Promise<'done' | 'waiting'> {
  const firing = firingOf(time);
  const { sourceId } = firing;
  const overlap = await deps.kernel.db(tenant).transaction((tx) => toBeCarriedOut(deps, tx, firing));
  if (overlap === undefined) return 'done';
  try {
    await deps.syncs.start(tenant, sourceId, { requestedBy: BY_SCHEDULE, queue: true }, (tx, { run_id: runId }) =>
      noteFiring(tx, firing, { outcome: 'started', runId }),
    );
    return 'done';
  } catch (error) {
    if (!(error instanceof Problem) || PASSING.includes(error.code)) throw error;
    const isRunning = error.code === runProblems.runAlreadyActive.entry.code;
    return deps.kernel.db(tenant).transaction(async (tx) => {
      await tx.findOne(SourceEntity, { sourceId }, { lock: true });
      if (isRunning && overlap === 'buffer_one') return waitOrSkip(tx, firing);
      const { code, message, entry } = error;
      const refused = { code, detail: message, hint: entry.hint ?? null };
      await noteFiring(tx, firing, { outcome: 'skipped', reason: isRunning ? SKIPS.running : refused });
      return 'done';
    });
  }
}

/** Notes that a time came to nothing, for who could not even look at it. */
export async function skipSchedule(
  deps: Pick<FireDeps, 'kernel'>,
  time: ScheduledTime,
  reason: SkipReason,
): Promise<void> {
  const tenant = await deps.kernel.tenants.byId(time.tenant_id);
  if (tenant === undefined) return;
  await deps.kernel.db(tenant).transaction(async (tx) => {
    const source = await tx.findOne(SourceEntity, { sourceId: time.source_id }, { lock: true });
    if (source !== undefined) await noteFiring(tx, firingOf(time), { outcome: 'skipped', reason });
  });
}

function firingOf({ firing_id: firingId, source_id: sourceId, scheduled_at }: ScheduledTime): NewFiring {
  return { firingId, sourceId, origin: 'schedule', scheduledAt: new Date(scheduled_at), requestedBy: BY_SCHEDULE };
}

/** What the schedule does while a sync runs; undefined when this time is settled, or none of the schedule's as it is now. */
async function toBeCarriedOut(
  { schedules }: FireDeps,
  tx: TenantTransaction,
  firing: NewFiring,
): Promise<Overlap | undefined> {
  const { sourceId, firingId, scheduledAt } = firing;
  const source = await tx.findOne(SourceEntity, { sourceId }, { lock: true });
  const noted = await tx.findOne(FiringEntity, { firingId });
  if (source === undefined || (noted !== undefined && noted.outcome !== 'waiting')) return undefined;
  const schedule = await findSchedule(tx, sourceId);
  const waits = noted !== undefined;
  if (schedule !== undefined && !waits && !schedules.isDue(schedule.times, scheduledAt)) return undefined;
  const refused = skipOf(schedule, { isRetired: source.status === 'retired', waits, scheduledAt });
  // The one that waits goes first, also when the sync that it waits for has just ended.
  const reason = refused ?? (!waits && (await otherWaits(tx, firing)) ? SKIPS.waiting : undefined);
  if (schedule !== undefined) {
    await tx.update(schedule, { nextRunAt: nextRunOf(schedules, schedule, new Date()) ?? null });
    if (reason === undefined) return schedule.overlap;
  }
  if (reason !== undefined && !(await isNotedAsMissed(tx, firing)))
    await noteFiring(tx, firing, { outcome: 'skipped', reason });
  return undefined;
}

/** A sweep notes a time that nobody began in its window; a worker may still come to it much later. */
async function isNotedAsMissed(
  tx: TenantTransaction,
  { sourceId, firingId, scheduledAt, origin }: NewFiring,
): Promise<boolean> {
  const same = { sourceId, scheduledAt, origin, outcome: 'skipped', firingId: { $ne: firingId } } as const;
  return (await tx.findOne(FiringEntity, same)) !== undefined;
}

/** Why a time comes to nothing before anybody looks whether the source can be synced. Pure but for the clock. */
function skipOf(
  schedule: Pick<ScheduleRow, 'pausedAt' | 'times'> | undefined,
  { isRetired, waits, scheduledAt }: { isRetired: boolean; waits: boolean; scheduledAt: Date },
): SkipReason | undefined {
  if (isRetired) return SKIPS.retired;
  // A time of a schedule that is gone is nobody's, unless it was noted before.
  if (schedule === undefined) return waits ? SKIPS.gone : undefined;
  if (schedule.pausedAt) return SKIPS.paused;
  const { catchup_window_seconds: window, jitter_seconds: jitter } = schedule.times;
  const isLate = Date.now() - scheduledAt.getTime() > (window + jitter) * 1_000;
  return isLate && !waits ? SKIPS.missed : undefined;
}

/** One time waits; a second one beside it would only run right after the first. */
async function waitOrSkip(tx: TenantTransaction, firing: NewFiring): Promise<'done' | 'waiting'> {
  const to = (await otherWaits(tx, firing)) ? ('skipped' as const) : ('waiting' as const);
  await noteFiring(tx, firing, { outcome: to, reason: to === 'waiting' ? SKIPS.running : SKIPS.waiting });
  return to === 'waiting' ? 'waiting' : 'done';
}

async function otherWaits(tx: TenantTransaction, { sourceId, firingId }: NewFiring): Promise<boolean> {
  const other = await tx.findOne(FiringEntity, { sourceId, outcome: 'waiting', firingId: { $ne: firingId } });
  return other !== undefined;
}
