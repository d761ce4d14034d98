import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import { v7 as uuidv7 } from 'uuid';
import { FiringEntity, ScheduleEntity, type ScheduleRow } from '../model/entities.ts';
import { type SkipReason, skipsOf } from '../model/skips.ts';
import { forgetOldest, KEPT } from './firings.ts';
import { findSubject } from './subjects.ts';

/** Schedules of a tenant that one sweep looks at. */
const BATCH = 100;
/** Missed times in a row that are noted one by one, the newest of them. */
const NOTED = 10;
/** Times of a schedule that one sweep looks at. */
const MAX_TIMES = 10_000;
/** How long a worker may take to note a time that it began in its window. */
const SLACK_SECONDS = 60;
const MS_PER_SECOND = 1_000;

export interface MissedDeps {
  kernel: Pick<Kernel, 'contributions' | 'db'>;
  schedules: Pick<SchedulesService, 'nextRuns'>;
}

/**
 * Notes the times of schedules that came and went without a firing, because engine or workers were away for longer than the
 * catch-up window. Each time is looked at once: `judged_from` is the first that was not.
 */
export async function noteMissedTimes(deps: MissedDeps, tenant: Tenant, now = new Date()): Promise<void> {
  const { rows } = await deps.kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select subject_id from schedules.schedule where tenant_id = $1 and deleted_at is null and judged_from < $2::timestamptz
         - make_interval(secs => (times->>'catchup_window_seconds')::int + (times->>'jitter_seconds')::int + $3)
       order by judged_from limit $4`,
      [tenant.tenantId, now, SLACK_SECONDS, BATCH],
    ),
  );
  for (const { subject_id } of rows) {
    await deps.kernel.db(tenant).transaction((tx) => judge(deps, tx, String(subject_id), now));
  }
}

async function judge(deps: MissedDeps, tx: TenantTransaction, subjectId: string, now: Date): Promise<void> {
  const { schedules } = deps;
  const known = await tx.findOne(ScheduleEntity, { subjectId, deletedAt: null });
  const subject = known && findSubject(deps, known.subjectKind);
  if ((await subject?.find(tx, subjectId, { lock: true })) === undefined) return;
  const row = await tx.findOne(ScheduleEntity, { subjectId, deletedAt: null }, { lock: true });
  if (subject === undefined || !row?.judgedFrom) return;
  const until = lastJudged(row, now);
  const runs = schedules.nextRuns({ ...row.times, end_at: until.toISOString() }, before(row.judgedFrom), MAX_TIMES);
  const times = runs.map(({ at }) => new Date(at));
  await note(tx, row, { missed: await unnoted(tx, subjectId, times), reason: skipsOf(subject).missed });
  const reached = times.length === MAX_TIMES ? (times.at(-1) ?? until) : until;
  const [next] = schedules.nextRuns(row.times, reached, 1);
  const isOver = next === undefined || (row.pausedAt && Date.parse(next.at) > row.pausedAt.getTime());
  await tx.update(row, { judgedFrom: isOver ? null : new Date(next.at) });
}

/** The last time that cannot be made up for any more; none of a pause counts. */
function lastJudged({ times, pausedAt }: ScheduleRow, now: Date): Date {
  const late = now.getTime() - windowMs(times) - SLACK_SECONDS * MS_PER_SECOND;
  const end = times.end_at === null ? late : Date.parse(times.end_at);
  return new Date(Math.min(late, end, pausedAt?.getTime() ?? late));
}

const windowMs = ({ catchup_window_seconds: window, jitter_seconds: jitter }: ScheduleRow['times']) =>
  (window + jitter) * MS_PER_SECOND;
const before = (at: Date) => new Date(at.getTime() - 1);

/** Those without a firing, oldest first. Of times before the oldest firing of a full list nothing is known. */
async function unnoted(tx: TenantTransaction, subjectId: string, times: readonly Date[]): Promise<Date[]> {
  if (times.length === 0) return [];
  const { rows } = await tx.sql(
    `select scheduled_at from schedules.firing where tenant_id = $1 and subject_id = $2 and origin = 'schedule'`,
    [tx.tenant.tenantId, subjectId],
  );
  const noted = rows.map(({ scheduled_at }) => new Date(String(scheduled_at)).getTime());
  const known = new Set(noted);
  const oldest = noted.length < KEPT ? Number.NEGATIVE_INFINITY : Math.min(...noted);
  return times.filter((at) => at.getTime() > oldest && !known.has(at.getTime()));
}

/** The newest ones, each when it was too late for it; the oldest of them says how many more there were. */
async function note(
  tx: TenantTransaction,
  { subjectId, subjectKind, times }: ScheduleRow,
  { missed, reason: usual }: { missed: readonly Date[]; reason: SkipReason },
): Promise<void> {
  const more = missed.length - NOTED;
  for (const [at, scheduledAt] of missed.slice(-NOTED).entries()) {
    const firedAt = new Date(scheduledAt.getTime() + windowMs(times));
    const detail = `${usual.detail} ${more} earlier times in a row were missed too.`;
    const reason = at === 0 && more > 0 ? { ...usual, detail } : usual;
    const said = { origin: 'schedule', requestedBy: 'schedule', outcome: 'skipped', runId: null } as const;
    const when = { scheduledAt, firedAt, lookedAt: firedAt };
    await tx.insert(FiringEntity, { firingId: uuidv7(), subjectId, subjectKind, ...said, ...when, reason });
  }
  if (missed.length > 0) await forgetOldest(tx, subjectId);
}
