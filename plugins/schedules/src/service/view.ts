import type { RunRecord, TenantTransaction } from '@weir/kernel';
import { nextSteps } from '@weir/kernel/contract';
import { type FiringView, kindWord, type ScheduleFactsView, type ScheduleSubject } from '../contract.ts';
import type { FiringRow, ScheduleRow } from '../model/entities.ts';
import type { SkipReason } from '../model/skips.ts';
import { lastFirings } from './firings.ts';
import type { ScheduleDeps } from './subjects.ts';
import { NEXT_RUNS } from './times.ts';

const LAST_FIRINGS = 10;

/** A schedule with the id and the name of its subject, as `subjectSchedule` of its kind declares them. */
export type ScheduleView = ScheduleFactsView & Readonly<Record<`${string}_id` | `${string}_name`, unknown>>;

/** Schedules of one kind as the wire shows them, with what belongs to all of them read at once. */
export async function scheduleViews(
  { kernel, schedules }: Pick<ScheduleDeps, 'kernel' | 'schedules'>,
  tx: TenantTransaction,
  { subject, rows }: { subject: ScheduleSubject; rows: readonly ScheduleRow[] },
): Promise<ScheduleView[]> {
  const subjectIds = rows.map(({ subjectId }) => subjectId);
  const names = await subject.names(tx, subjectIds);
  const firings = await lastFirings(tx, subjectIds, LAST_FIRINGS);
  const runIds = [...firings.values()].flat().flatMap(({ runId }) => runId ?? []);
  const runs = new Map((await kernel.runs.findMany(tx, runIds)).map((run) => [run.runId, run]));
  const now = new Date();
  return rows.map((row) => {
    const nextRuns = row.pausedAt ? [] : schedules.nextRuns(row.times, now, NEXT_RUNS);
    return {
      [`${kindWord(subject.kind)}_id`]: row.subjectId,
      [`${kindWord(subject.kind)}_name`]: names.get(row.subjectId) ?? '',
      ...row.times,
      overlap: row.overlap,
      sentence: schedules.sentence(row.times),
      next_run_at: nextRuns[0]?.at ?? null,
      next_runs: nextRuns,
      clock_changes: schedules.clockChanges(row.times, now),
      paused: Boolean(row.pausedAt),
      paused_at: row.pausedAt?.toISOString() ?? null,
      paused_by: row.pausedBy ?? null,
      pause_reason: row.pauseReason ?? null,
      applied: row.appliedVersion === row.version,
      last_firings: (firings.get(row.subjectId) ?? []).map((firing) =>
        firingView(firing, runs.get(firing.runId ?? '')),
      ),
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      updated_by: row.updatedBy,
      etag: String(row.version),
    };
  });
}

function firingView(firing: FiringRow, run: RunRecord | undefined): FiringView {
  const { outcome } = firing;
  const failure = run?.failure;
  return {
    firing_id: firing.firingId,
    origin: firing.origin,
    scheduled_at: firing.scheduledAt.toISOString(),
    fired_at: firing.firedAt.toISOString(),
    requested_by: firing.requestedBy,
    status: outcome === 'started' ? (run?.status ?? 'pending') : outcome,
    run_id: firing.runId ?? null,
    reason: reasonOf(failure ?? firing.reason, {
      subject_id: firing.subjectId,
      [`${firing.subjectKind}_id`]: firing.subjectId,
    }),
  };
}

/** Why it came to nothing or failed, with the places of its steps filled. */
function reasonOf(
  found: RunRecord['failure'] | SkipReason | null,
  known: Record<string, string>,
): FiringView['reason'] {
  if (!found) return null;
  const { code, detail, hint, next } = found;
  return { code, detail, hint: hint ?? null, ...nextSteps(next, known) };
}
