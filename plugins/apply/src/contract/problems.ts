import { problem } from '@weir/kernel/contract';

const planAgain = [{ operation: 'apply.dry_run', text: 'Plan the documents again' }];

/** Codes of calls. */
export const applyProblems = {
  fingerprintMissing: problem({
    code: 'fingerprint_missing',
    status: 422,
    title: 'No fingerprint',
    detail: 'The request has no `fingerprint`: only a plan that was made before is applied.',
    hint: 'Plan the same documents, and send the `fingerprint` of that answer.',
    next: planAgain,
  }),
  planStale: problem({
    code: 'plan_stale',
    status: 409,
    title: 'The plan is stale',
    detail: 'Something changed since the plan was made: `differences` names what. Nothing was done.',
    faults: {
      stored: 'was made, changed or deleted since the plan',
      document: 'is not as it was planned',
      action: 'would be done otherwise than planned',
      documents: 'is in one of both plans only',
    },
    hint: 'Plan the documents again and review the new plan.',
    next: planAgain,
  }),
  planRefused: problem({
    code: 'plan_refused',
    status: 409,
    title: 'The plan has faults',
    detail: 'Documents of the plan are invalid or would conflict: `results` names them. Nothing was done.',
    hint: 'Correct the documents, then plan them again.',
    next: planAgain,
  }),
};
