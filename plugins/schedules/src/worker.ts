import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDoor } from '@weir/kernel';
import { SCHEDULE_ROLE } from './service/bring-in-line.ts';
import { scheduleActivities } from './work/activities.ts';

/** The worker side: times of schedules are carried out by the role for general work. */
export const worker: WorkerDoor = {
  role: SCHEDULE_ROLE,
  workflowsPath: fileURLToPath(new URL(`./work/workflows/scheduled-time${extname(import.meta.url)}`, import.meta.url)),
  activities: scheduleActivities,
  ungated: ['skipSchedule'],
};
