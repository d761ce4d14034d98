import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { SCHEDULE_ROLE } from './service/bring-in-line.ts';
import { scheduleActivities } from './work/activities.ts';

/** The worker side: times of schedules are carried out by the role for general work. */
export const worker: WorkerDoor = {
  role: SCHEDULE_ROLE,
  workflowsPath: workflowsBeside(import.meta.url),
  activities: scheduleActivities,
  ungated: ['skipSchedule'],
};
