import type { RunDeclaration } from '@weir/work';

const shared = {
  role: 'general',
  exclusive: true,
  subject: 'execution_id',
  times: { startToCloseTimeout: '10 minutes', maximumAttempts: 5 },
} as const;

/** The composition of a pipeline. Its workflow has it too, so it is data and nothing else. */
export const AI_COMPOSE = {
  kind: 'ai-compose',
  workflowType: 'AiComposeWorkflow',
  ...shared,
} as const satisfies RunDeclaration;

/** The match of two schemas. */
export const SCHEMA_MATCH = {
  kind: 'schema-match',
  workflowType: 'SchemaMatchWorkflow',
  ...shared,
} as const satisfies RunDeclaration;
