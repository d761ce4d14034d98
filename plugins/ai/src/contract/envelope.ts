import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Id, Nullable, OneOf, RUN_STATUSES, Timestamp } from '@weir/kernel/contract';

/** What can be asked for. */
export const TASKS = [
  'suggest-target-schema',
  'suggest-field-mappings',
  'suggest-pattern-params',
  'review-sql',
  'generate-transform',
  'fix-ci-failure',
  'compose-pipeline',
  'schema-match',
] as const;
export type TaskName = (typeof TASKS)[number];

/** `embedded`: rules of the platform, without a network; `remote`: the assistant that an operator has named. */
export const PROVIDERS = ['embedded', 'remote'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const PROPOSAL_STATES = ['drafted', 'accepted', 'refused'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** Days for which an execution is kept. */
export const KEPT_DAYS = 30;

const Count = Type.Integer({ minimum: 0 });

export const Warning = Type.Object({ code: Type.String(), detail: Type.String() });
export type WarningView = Static<typeof Warning>;

/** A check of the platform that an answer went through. */
export const GateCheck = Type.Object({
  check: Type.String({ description: 'Such as schema, statement or review' }),
  passed: Type.Boolean(),
  detail: Nullable(Type.String()),
});
export type GateCheckView = Static<typeof GateCheck>;

export const Usage = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  cost_micros: Type.Integer({ minimum: 0, description: 'Millionths of the currency of the provider' }),
  latency_ms: Count,
});
export type UsageView = Static<typeof Usage>;

/** What every answer says, whichever provider made it. */
export const envelopeFacts = {
  execution_id: Id,
  trace_id: Type.String({ description: 'Finds the request in logs and traces' }),
  task: OneOf(TASKS),
  provider: OneOf(PROVIDERS),
  model: Type.String(),
  external_id: Nullable(Type.String({ description: 'What the remote assistant calls this execution' })),
  degraded: Type.Boolean({ description: 'A weaker provider answered, as the one that is configured could not' }),
  status: OneOf(RUN_STATUSES),
  proposal: Nullable(
    OneOf(PROPOSAL_STATES, { description: 'drafted: nothing is changed until it is accepted; null without a result' }),
  ),
  digest: Nullable(Type.String({ description: 'SHA-256 of the result; accepting names it' })),
  confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  warnings: Type.Array(Warning),
  validation: Type.Object({ attempts: Count, checks: Type.Array(GateCheck) }),
  usage: Usage,
  created_at: Timestamp,
  expires_at: Type.String({ format: 'date-time', description: `Removed then: ${KEPT_DAYS} days after it was made` }),
};

/** The common envelope around a result. */
export const enveloped = <T extends TSchema>(result: T) => Type.Object({ ...envelopeFacts, result });
export type Envelope<T> = Static<ReturnType<typeof facts>> & { result: T };
const facts = () => Type.Object(envelopeFacts);
