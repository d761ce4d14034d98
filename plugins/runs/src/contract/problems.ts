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
  runOfAnotherClient: problem({
    code: 'run_of_another_client',
    status: 403,
    title: 'The run of another client',
    detail: 'Only the client that created a run reports when it begins and how it ends.',
    hint: 'Report it with the credential that created it: `requested_by` of the run names whose that is.',
    next: [{ operation: 'runs.get_run', params: { id: '{id}' }, text: 'Show who created the run' }],
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
