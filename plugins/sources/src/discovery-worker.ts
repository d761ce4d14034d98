import { sourceActivities } from './activities.ts';
import { DISCOVERY_ROLE } from './run-kinds.ts';
import { worker as source } from './worker.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** The worker side of discoveries: a role of its own, with its own queue, engine socket and workspaces. */
export const worker = {
  role: DISCOVERY_ROLE,
  workflowsPath: source.workflowsPath,
  activities(deps: WorkerDeps) {
    const { discover, endDiscovery } = sourceActivities(deps);
    return { discover, endDiscovery };
  },
  ungated: ['endDiscovery'],
};
