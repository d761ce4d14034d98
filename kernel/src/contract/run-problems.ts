import { problem } from './problem.ts';

/** Codes of the run table. */
export const runProblems = {
  runAlreadyActive: problem({
    code: 'run_already_active',
    status: 409,
    title: 'A run is already active',
    detail: 'A run of this kind is already pending or running for this subject.',
    hint: 'Wait until that run has ended, or cancel it, then start again.',
    next: [
      { operation: 'runs.get_run', params: { id: '{run_id}' }, text: 'Show the run that is open' },
      { operation: 'runs.cancel_run', params: { id: '{run_id}' }, text: 'Cancel it, then start again' },
    ],
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
  runNotActive: problem({
    code: 'run_not_active',
    status: 409,
    title: 'The run has ended',
    detail: 'This run is over, so it cannot be cancelled.',
    hint: 'Look at the run to see how it ended.',
  }),
  runPastDeadline: problem({
    code: 'run_past_deadline',
    status: 409,
    title: 'The deadline of the run has passed',
    detail: 'The service did not end this run before its deadline.',
    hint: 'Create a new run, with a later deadline if the work takes longer.',
  }),
  parentEnded: problem({
    code: 'parent_run_ended',
    status: 409,
    title: 'The parent run is not open',
    detail: 'The run that this one is a part of has ended, or does not exist.',
    hint: 'Look at the parent run to see how it ended.',
  }),
  noWorker: problem({
    code: 'no_worker',
    status: 503,
    title: 'No worker',
    detail: 'No worker polls the queue that would carry this run out.',
    hint: 'Start a worker of the role that takes such runs, or let the run wait for one.',
  }),
  workerGone: problem({
    code: 'worker_gone',
    status: 500,
    title: 'Worker gone',
    detail: 'The worker of this run vanished, and none has polled its queue since.',
    hint: 'Start a worker, then start the run again; it goes on from the last commit.',
  }),
};
