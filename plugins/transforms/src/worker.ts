import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerDoor } from '@weir/kernel';
import { TRANSFORM_ROLE } from './model/run-kinds.ts';
import { transformActivities } from './work/activities.ts';

/** The worker side of this plugin: the role that carries transforms out. */
export const worker: WorkerDoor = {
  role: TRANSFORM_ROLE,
  workflowsPath: fileURLToPath(new URL(`./work/workflows/index${extname(import.meta.url)}`, import.meta.url)),
  activities: transformActivities,
  ungated: ['endMaterialization'],
};
