import { provide } from '@weir/kernel';
import { SubjectSchedules } from '@weir/plugin-schedules/contract';

/** Plugin `schedules` for worlds in which no source has a schedule. */
export const noSchedules = provide(SubjectSchedules, {
  routes: () => [],
  times: () => {
    throw new Error('no schedule is asked for here');
  },
  summaries: async () => new Map(),
  scheduled: async () => [],
  drop: async () => undefined,
});
