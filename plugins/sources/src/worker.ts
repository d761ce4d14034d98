import { sourceActivities } from './activities.ts';
import { SOURCE_ROLE } from './run-kinds.ts';
import { workflowsPath } from './workflows-path.ts';

export { operations } from './operations.ts';
export type { ChildRegistry, WorkerDeps } from './worker-deps.ts';

/** The worker side of this plugin: one role, its workflows, its activities over what the worker program gives. */
export const worker = {
  role: SOURCE_ROLE,
  workflowsPath,
  activities: sourceActivities,
  ungated: ['endSync', 'endRun', 'skipSchedule'],
};
