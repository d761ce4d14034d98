import type { WorkerDeps } from '@weir/kernel';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { tenantOf } from '@weir/work';
import type { ScheduledTime } from '../model/scheduled-time.ts';
import type { SkipReason } from '../model/skips.ts';
import { fireSchedule, skipSchedule } from './fire.ts';

export type ScheduleActivities = ReturnType<typeof scheduleActivities>;

/** What the workflow of a time of a schedule does to the world. */
export function scheduleActivities({ kernel }: Pick<WorkerDeps, 'kernel'>) {
  const deps = { kernel, schedules: kernel.use(Schedules) };
  return {
    /** Carries out one time of a schedule; `waiting` asks to be called again. */
    fireSchedule: async (time: ScheduledTime): Promise<'done' | 'waiting'> =>
      fireSchedule(deps, await tenantOf(kernel, time), time),

    /** Notes that a time of a schedule came to nothing. */
    skipSchedule: (time: ScheduledTime, reason?: SkipReason): Promise<void> => skipSchedule(deps, time, reason),
  };
}
