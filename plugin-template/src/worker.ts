import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDoor } from '@weir/kernel';
import { noteActivities } from './activities.ts';
import { NOTES_ROLE } from './service.ts';

/** The worker side: one role, its workflows, its activities over what the worker program gives. */
export const worker: WorkerDoor = {
  role: NOTES_ROLE,
  workflowsPath: fileURLToPath(new URL(`./workflows/publish-note${extname(import.meta.url)}`, import.meta.url)),
  activities: noteActivities,
  ungated: ['end'],
};
