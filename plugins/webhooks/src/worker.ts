import type { WorkerDoor } from '@weir/kernel';
import { workflowsBeside } from '@weir/work';
import { GENERAL_ROLE } from './service/wake.ts';
import { webhookActivities } from './work/activities.ts';

/** The worker side: webhooks are sent by the role for general work. */
export const worker: WorkerDoor = {
  role: GENERAL_ROLE,
  workflowsPath: workflowsBeside(import.meta.url),
  activities: webhookActivities,
};
