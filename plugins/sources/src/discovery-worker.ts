import { discoveryActivities } from './discovery/activities.ts';
import { DISCOVERY_ROLE } from './run-kinds.ts';
import { workflowsPath } from './workflows-path.ts';

/** The worker side of discoveries: a role of its own, with its own queue, engine socket and workspaces. */
export const worker = {
  role: DISCOVERY_ROLE,
  workflowsPath,
  activities: discoveryActivities,
  ungated: ['endDiscovery'],
};
