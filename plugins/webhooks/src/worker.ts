import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDoor } from '@weir/kernel';
import { GENERAL_ROLE } from './service/wake.ts';
import { webhookActivities } from './work/activities.ts';

/** The worker side: webhooks are sent by the role for general work. */
export const worker: WorkerDoor = {
  role: GENERAL_ROLE,
  workflowsPath: fileURLToPath(new URL(`./work/workflows/deliver-webhook${extname(import.meta.url)}`, import.meta.url)),
  activities: webhookActivities,
};
