import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceActivities } from './activities.ts';
import { SOURCE_ROLE } from './run-kinds.ts';

export { operations } from './operations.ts';
export type { ChildRegistry, WorkerDeps } from './worker-deps.ts';

/** The worker side of this plugin: one role, its workflows, its activities over what the worker program gives. */
export const worker = {
  role: SOURCE_ROLE,
  workflowsPath: fileURLToPath(new URL(`./workflows/index${extname(import.meta.url)}`, import.meta.url)),
  activities: sourceActivities,
  ungated: ['endSync', 'endDiscovery', 'endRun', 'skipSchedule'],
};
