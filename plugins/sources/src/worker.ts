import { SOURCE_ROLE } from './model/run-kinds.ts';
import { sourceActivities } from './work/activities.ts';
import { workflowsPath } from './work/workflows-path.ts';

export { operations } from './service/credential/operations.ts';

/** What the process of a sync or replay takes at most, in its heap, in what types rows and in lines on their way: a bar of `npm run bench -- memory`. */
const SLOT_MIB = 512;

/** The worker side of this plugin: one role, its workflows, its activities over what the worker program gives. */
export const worker = {
  role: SOURCE_ROLE,
  workflowsPath,
  activities: sourceActivities,
  slotMiB: SLOT_MIB,
  ungated: ['endSync', 'endRun'],
};
