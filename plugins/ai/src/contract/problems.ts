import { problem } from '@weir/kernel/contract';

const EXECUTIONS = { operation: 'ai.list_executions', text: 'List what was asked for' };

/** Error codes of AI assistance. */
export const aiProblems = {
  unsupportedRequest: problem({
    code: 'unsupported_request',
    status: 422,
    title: 'Request not supported',
    detail: 'The provider cannot make a proposal of what was asked for: {reason}.',
    hint: 'Say it in simpler words, such as "sum of total by country where status is paid", or write it by hand.',
  }),
  budgetExceeded: problem({
    code: 'ai_budget_exceeded',
    status: 429,
    title: 'Budget of the day used up',
    detail: 'The tenant has used up its {what} of AI assistance for today.',
    hint: 'Wait until midnight UTC, or ask an operator to raise WEIR_AI_DAILY_CALLS or WEIR_AI_DAILY_TOKENS.',
  }),
  invalidOutput: problem({
    code: 'ai_invalid_output',
    status: 502,
    title: 'The answer of the provider is not usable',
    detail: 'The provider answered {attempts:time}, and no answer passed the checks of the platform.',
    hint: 'Ask in other words, or write it by hand; the places that are listed say what failed.',
    next: [EXECUTIONS],
  }),
  unavailable: problem({
    code: 'ai_unavailable',
    status: 503,
    title: 'The provider of AI assistance is not available',
    detail: 'The provider did not answer as it should, and without it this cannot be done.',
    hint: 'Try again in a moment; if it stays, an operator checks the provider.',
  }),
  deadline: problem({
    code: 'ai_deadline',
    status: 504,
    title: 'The provider took too long',
    detail: 'The provider did not answer in time, and without it this cannot be done.',
    hint: 'Try again in a moment, or ask for less.',
  }),
  proposalChanged: problem({
    code: 'proposal_changed',
    status: 409,
    title: 'The proposal is another one',
    detail: 'The digest is not that of the proposal.',
    hint: 'Read the proposal again, and accept what you then see.',
    next: [{ operation: 'ai.get_execution', params: { execution_id: '{execution_id}' }, text: 'Show the proposal' }],
  }),
  proposalNotOpen: problem({
    code: 'proposal_not_open',
    status: 409,
    title: 'The proposal is not open',
    detail: 'The proposal was {state} before.',
    hint: 'Ask for a new one.',
    next: [EXECUTIONS],
  }),
  proposalNotTransform: problem({
    code: 'proposal_not_transform',
    status: 422,
    title: 'The proposal makes no transform',
    detail: 'Only a proposal that has a statement can be published as a transform.',
    hint: 'Choose a proposal of a new or corrected transform.',
    next: [EXECUTIONS],
  }),
  proposalRefused: problem({
    code: 'proposal_fails_review',
    status: 409,
    title: 'The proposal fails the review of today',
    detail: 'The statement was checked again and has {count:fault}.',
    hint: 'Its tables or columns may have changed. Ask for a new proposal.',
    next: [EXECUTIONS],
  }),
};
