/** Door for workflows: nothing behind it may be edited once it was released, as a recorded run must go the same way again. */

export { runWorkflow } from './workflow/run-workflow.ts';
export { slotlessActivities } from './workflow/slotless-activities.ts';
export { untilDone } from './workflow/until-done.ts';
export { withOutcome } from './workflow/with-outcome.ts';
