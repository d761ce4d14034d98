import { problem } from '@weir/kernel/contract';

/** Codes of runs that a service carries out. */
export const reportProblems = {
  runNotReported: problem({
    code: 'run_not_reported',
    status: 409,
    title: 'The platform carries this run out',
    detail: 'Only runs that a service created are started and ended by calls.',
    hint: 'Look at the run to see how it goes, or cancel it.',
    next: [
      { operation: 'runs.get_run', params: { id: '{id}' }, text: 'Show how the run goes' },
      { operation: 'runs.cancel_run', params: { id: '{id}' }, text: 'Cancel the run' },
    ],
  }),
  orchestratorRunDiffers: problem({
    code: 'orchestrator_run_differs',
    status: 409,
    title: 'Another orchestrator run',
    detail: 'The run belongs to another orchestrator run than orchestrator_run_id names.',
    hint: 'Send the orchestrator_run_id that the run was created with.',
  }),
  orchestratorRunKnown: problem({
    code: 'orchestrator_run_known',
    status: 409,
    title: 'The run exists',
    detail: 'This orchestrator run has a run for this subject already.',
    hint: 'Go on with the run that run_id names.',
  }),
};
