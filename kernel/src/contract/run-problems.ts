import { problem } from './problem.ts';

/** Codes of the run table. */
export const runProblems = {
  runAlreadyActive: problem({
    code: 'run_already_active',
    status: 409,
    title: 'A run is already active',
    detail: 'A run of this kind is already pending or running for this subject.',
    hint: 'Wait for the run that run_id names, or cancel it, then start again.',
  }),
  leaseLost: problem({
    code: 'lease_lost',
    status: 409,
    title: 'Lease lost',
    detail: 'A newer attempt of this run has taken over, or the run has ended.',
    hint: 'Nothing to do: the newer attempt goes on from the last commit.',
  }),
  workflowLost: problem({
    code: 'workflow_lost',
    status: 500,
    title: 'Workflow lost',
    detail: 'The workflow of this run ended without reporting an outcome.',
    hint: 'Start the run again; it goes on from the last commit.',
  }),
};
