import type { Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems, Problem, runProblems } from '@weir/kernel/contract';
import { type Overlap, type ScheduleSubject, ScheduleSubjects } from '../contract.ts';
import { FiringEntity, type ScheduleRow } from '../model/entities.ts';
import { nextRunOf } from '../model/next-run.ts';
import type { ScheduledTime } from '../model/scheduled-time.ts';
import { type SkipReason, skipsOf } from '../model/skips.ts';
import { type NewFiring, noteFiring } from '../service/firings.ts';
import { findSchedule } from '../service/live-schedule.ts';
import { findSubject, type ScheduleDeps } from '../service/subjects.ts';

export type FireDeps = Pick<ScheduleDeps, 'schedules'> & {
  kernel: Pick<ScheduleDeps['kernel'], 'contributions' | 'contributionsFor' | 'db'>;
};
export type SkipDeps = { kernel: Pick<ScheduleDeps['kernel'], 'contributions' | 'db' | 'tenants'> };

/** Who asks for the runs of a schedule. */
const BY_SCHEDULE = 'schedule';
/** A start that is refused for these may be let in a moment later. */
const PASSING: readonly string[] = [
  kernelProblems.dependencyUnavailable.entry.code,
  kernelProblems.conflict.entry.code,
];

/**
 * Carries out one time of a schedule: starts a run as a caller would, or notes why there is none. `waiting` asks to be
 * called again, because a run is open and the schedule lets one time wait for it. Throws when the database is away.
 */
export async function fireSchedule(deps: FireDeps, tenant: Tenant, time: ScheduledTime): Promise<'done' | 'waiting'> {
  const firing = firingOf(time);
  const { subjectId } = firing;
  const serving = await deps.kernel.contributionsFor(tenant, ScheduleSubjects);
  const subject = serving.find(({ kind }) => kind === time.subject_kind);
  if (subject === undefined) return 'done';
  const skips = skipsOf(subject);
  const overlap = await deps.kernel.db(tenant).transaction((tx) => toBeCarriedOut(deps, tx, { subject, firing }));
  if (overlap === undefined) return 'done';
  try {
    await subject.start(tenant, subjectId, { requestedBy: BY_SCHEDULE, queue: true }, (tx, { run_id: runId }) =>
      noteFiring(tx, firing, { outcome: 'started', runId }),
    );
    return 'done';
  } catch (error) {
    if (!(error instanceof Problem) || PASSING.includes(error.code)) throw error;
    const isRunning = error.code === runProblems.runAlreadyActive.entry.code;
    return deps.kernel.db(tenant).transaction(async (tx) => {
      if ((await subject.find(tx, subjectId, { lock: true })) === undefined) return 'done';
      if (isRunning && overlap === 'buffer_one') return waitOrSkip(tx, firing, skips);
      const { code, message, entry } = error;
      const { hint, next } = entry;
      const refused = { code, detail: message, hint, ...(next === undefined ? {} : { next }) };
      await noteFiring(tx, firing, { outcome: 'skipped', reason: isRunning ? skips.running : refused });
      return 'done';
    });
  }
}

/** Notes that a time came to nothing, for who could not even look at it. */
export async function skipSchedule({ kernel }: SkipDeps, time: ScheduledTime, reason?: SkipReason): Promise<void> {
  const tenant = await kernel.tenants.byId(time.tenant_id);
  const subject = findSubject({ kernel }, time.subject_kind);
  if (tenant === undefined || subject === undefined) return;
  await kernel.db(tenant).transaction(async (tx) => {
    const state = await subject.find(tx, time.subject_id, { lock: true });
    const why = reason ?? skipsOf(subject).failed;
    if (state !== undefined) await noteFiring(tx, firingOf(time), { outcome: 'skipped', reason: why });
  });
}

function firingOf(time: ScheduledTime): NewFiring {
  const { firing_id: firingId, subject_kind: subjectKind, subject_id: subjectId, scheduled_at } = time;
  const scheduledAt = new Date(scheduled_at);
  return { firingId, subjectKind, subjectId, origin: 'schedule', scheduledAt, requestedBy: BY_SCHEDULE };
}

/** What the schedule does while a run is open; undefined when this time is settled, or none of the schedule's as it is now. */
async function toBeCarriedOut(
  { schedules }: FireDeps,
  tx: TenantTransaction,
  { subject, firing }: { subject: ScheduleSubject; firing: NewFiring },
): Promise<Overlap | undefined> {
  const { subjectId, firingId, scheduledAt } = firing;
  const state = await subject.find(tx, subjectId, { lock: true });
  const noted = await tx.findOne(FiringEntity, { firingId });
  if (state === undefined || (noted !== undefined && noted.outcome !== 'waiting')) return undefined;
  const schedule = await findSchedule(tx, subjectId);
  const waits = noted !== undefined;
  if (schedule !== undefined && !waits && !schedules.isDue(schedule.times, scheduledAt)) return undefined;
  const skips = skipsOf(subject);
  const refused = skipOf(schedule, { isRetired: state === 'retired', waits, scheduledAt, skips });
  // The one that waits goes first, also when the run that it waits for has just ended.
  const reason = refused ?? (!waits && (await otherWaits(tx, firing)) ? skips.waiting : undefined);
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
  { subjectId, firingId, scheduledAt, origin }: NewFiring,
): Promise<boolean> {
  const same = { subjectId, scheduledAt, origin, outcome: 'skipped', firingId: { $ne: firingId } } as const;
  return (await tx.findOne(FiringEntity, same)) !== undefined;
}

type Skips = ReturnType<typeof skipsOf>;

/** Why a time comes to nothing before anybody looks whether the subject can be started. Pure but for the clock. */
function skipOf(
  schedule: Pick<ScheduleRow, 'pausedAt' | 'times'> | undefined,
  { isRetired, waits, scheduledAt, skips }: { isRetired: boolean; waits: boolean; scheduledAt: Date; skips: Skips },
): SkipReason | undefined {
  if (isRetired) return skips.retired;
  // A time of a schedule that is gone is nobody's, unless it was noted before.
  if (schedule === undefined) return waits ? skips.gone : undefined;
  if (schedule.pausedAt) return skips.paused;
  const { catchup_window_seconds: window, jitter_seconds: jitter } = schedule.times;
  const isLate = Date.now() - scheduledAt.getTime() > (window + jitter) * 1_000;
  return isLate && !waits ? skips.missed : undefined;
}

/** One time waits; a second one beside it would only run right after the first. */
async function waitOrSkip(tx: TenantTransaction, firing: NewFiring, skips: Skips): Promise<'done' | 'waiting'> {
  const to = (await otherWaits(tx, firing)) ? ('skipped' as const) : ('waiting' as const);
  await noteFiring(tx, firing, { outcome: to, reason: to === 'waiting' ? skips.behind : skips.waiting });
  return to === 'waiting' ? 'waiting' : 'done';
}

async function otherWaits(tx: TenantTransaction, { subjectId, firingId }: NewFiring): Promise<boolean> {
  const other = await tx.findOne(FiringEntity, { subjectId, outcome: 'waiting', firingId: { $ne: firingId } });
  return other !== undefined;
}
