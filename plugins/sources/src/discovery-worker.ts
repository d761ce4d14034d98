import { DISCOVERY_ROLE } from './model/run-kinds.ts';
import { discoveryActivities } from './work/discovery-activities.ts';
import { workflowsPath } from './work/workflows-path.ts';

/** The worker side of discoveries: a role of its own, with its own queue, engine socket and workspaces. */
export const worker = {
  role: DISCOVERY_ROLE,
  workflowsPath,
  activities: discoveryActivities,
  ungated: ['endDiscovery', 'endInspection'],
};
