import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  RUN_STATUSES,
} from '@weir/kernel/contract';
import { useAi } from './access.ts';
import { enveloped, envelopeFacts, KEPT_DAYS, PROPOSAL_STATES, TASKS } from './envelope.ts';
import { aiProblems } from './problems.ts';

const params = Closed({ execution_id: idOf('execution') });

/** What was asked for, without its result. */
export const ExecutionItem = Type.Object({ ...envelopeFacts, requested_by: Type.String() });
export type ExecutionItemView = Static<typeof ExecutionItem>;

export const Execution = Type.Object({
  ...enveloped(Nullable(Type.Unknown({ description: 'As the task answers it; null while it is open, or has failed' })))
    .properties,
  requested_by: Type.String(),
});
export type ExecutionView = Static<typeof Execution>;

/** `GET /ai/executions` */
export const listExecutions = endpoint({
  id: 'ai.list_executions',
  method: 'GET',
  path: '/ai/executions',
  summary: 'List what was asked for, and what became of the proposals',
  description: `Kept for ${KEPT_DAYS} days. Neither descriptions nor logs that were sent are kept.`,
  access: useAi,
  query: listQuery(['created_at'], {
    status: Type.Optional(OneOf(RUN_STATUSES, { description: 'Only executions of this status' })),
    proposal: Type.Optional(OneOf(PROPOSAL_STATES, { description: 'Only proposals of this state' })),
    task: Type.Optional(OneOf(TASKS, { description: 'Only executions of this task' })),
  }),
  response: Page(ExecutionItem),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'ai executions',
    columns: [
      'execution_id',
      'task',
      'status',
      'proposal',
      'provider',
      'degraded',
      'requested_by',
      'created_at as age',
    ],
  },
});

/** `GET /ai/executions/{execution_id}` */
export const getExecution = endpoint({
  id: 'ai.get_execution',
  method: 'GET',
  path: '/ai/executions/:execution_id',
  summary: 'Read what was asked for, with its proposal',
  access: useAi,
  params,
  response: Execution,
  errors: [kernelProblems.notFound],
  cli: 'ai execution',
});

/** `POST /ai/executions/{execution_id}/refuse` */
export const refuseProposal = endpoint({
  id: 'ai.refuse_proposal',
  method: 'POST',
  path: '/ai/executions/:execution_id/refuse',
  summary: 'Refuse a proposal; it cannot be accepted any more',
  access: useAi,
  params,
  response: Execution,
  errors: [kernelProblems.notFound, aiProblems.proposalNotOpen],
  cli: 'ai refuse',
});
