import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import type { ScheduleRow } from './entities.ts';

/** When a schedule runs next; undefined while it is paused, and when it has ended. */
export function nextRunOf(
  schedules: Pick<SchedulesService, 'nextRuns'>,
  { times, pausedAt }: Pick<ScheduleRow, 'times' | 'pausedAt'>,
  now: Date,
): Date | undefined {
  const [next] = pausedAt ? [] : schedules.nextRuns(times, now, 1);
  return next === undefined ? undefined : new Date(next.at);
}
